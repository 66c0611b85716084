package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

func newVerifyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Say whether this folder still holds what was delivered",
		Long: `Compares the files that svc diff knows with what the last pull left, or a push
since, by content, and the archive that was pulled with its attestation, by the keys
that the service is known by here. Names every file that is not as it was delivered:
changed or missing ones make it exit with 1; merged, kept, deleted or in conflict are
those that the pull itself left so. A conflict is one as long as what the bundle
brings lies beside the file. Nothing is sent over the network.`,
		Example: `  svc verify
  svc verify --json`,
		Args: none,
		RunE: func(*cobra.Command, []string) error { return runVerify(a) },
	}
	a.addJSONFlag(cmd, "print one JSON object")
	return cmd
}

func runVerify(a *app) error {
	var v pull.Verification
	err := a.inFolder(func(folder *workdir.Folder) (err error) {
		v, err = a.session(folder).Verify()
		return err
	})
	if err != nil {
		return err
	}
	if a.asJSON {
		if err := a.printJSON(v); err != nil {
			return err
		}
	}
	if v.Refused != nil {
		return v.Refused
	}
	asDelivered := true
	for _, f := range v.Files {
		if f.State == workdir.Intact {
			continue
		}
		asDelivered = false
		if !a.asJSON {
			if err := a.print("%-8s  %s%s\n", f.State, f.Path, settleBy(f.Incoming)); err != nil {
				return err
			}
		}
	}
	if n := v.Changed(); n > 0 {
		return fmt.Errorf("%d of %s differ from what the pull of bundle %s left", n, count(len(v.Files), "file"), v.BundleID)
	}
	if a.asJSON {
		return nil
	}
	switch {
	case v.Attestation.Status == pull.Verified:
		a.note("The bundle is signed by %s.", v.Attestation.Service)
	case v.Signed:
		a.note("Who made the bundle is not known: it was pulled without an attestation.")
	default:
		a.note("Who made the bundle is not known.")
	}
	if !asDelivered {
		return a.print("All %s are as the pull of bundle %s left them.\n", count(len(v.Files), "file"), v.BundleID)
	}
	return a.print("All %s are as bundle %s delivered them.\n", count(len(v.Files), "file"), v.BundleID)
}

// settleBy says what to do about a conflict, if what the bundle brings lies there.
func settleBy(incoming string) string {
	if incoming == "" {
		return ""
	}
	return " (merge " + incoming + " into it and delete that)"
}
