package jetstream

import (
	"errors"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// address is what a setting says about servers elsewhere, such as
// tls://one:4222,tls://two:4222?ca=/etc/svcd/nats-ca.pem&creds=/etc/svcd/nats.creds
type address struct {
	servers []string
	options []nats.Option
}

// parameters are the files that an address can name; they hold for all servers.
var parameters = []string{"ca", "cert", "creds", "key"}

// CheckURL says whether an address can be understood. It reaches nobody.
func CheckURL(list string) error {
	_, err := parse(list)
	return err
}

// ServerNames returns the servers of a list of addresses, without what else the
// addresses hold, and whatever their order.
func ServerNames(list string) string {
	var hosts []string
	for text := range strings.SplitSeq(list, ",") {
		if u, err := neturl.Parse(strings.TrimSpace(text)); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",")
}

// parse reads a list of servers. Its errors repeat no part of the list: it may
// hold a password.
func parse(list string) (address, error) {
	var a address
	files := map[string]string{}
	for text := range strings.SplitSeq(list, ",") {
		u, err := neturl.Parse(strings.TrimSpace(text))
		if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" {
			return address{}, errors.New("it is a list of addresses such as nats://host:4222, with commas between them")
		}
		if !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return address{}, fmt.Errorf("servers are reached by nats:// or tls://, not by %s://", u.Scheme)
		}
		for name, values := range u.Query() {
			if !slices.Contains(parameters, name) {
				return address{}, fmt.Errorf("there is no parameter %s; there are %s", name, strings.Join(parameters, ", "))
			}
			files[name] = values[len(values)-1]
		}
		u.RawQuery = ""
		a.servers = append(a.servers, u.String())
	}
	if (files["cert"] == "") != (files["key"] == "") {
		return address{}, errors.New("cert and key belong together; give both or neither")
	}
	if files["ca"] != "" {
		a.options = append(a.options, nats.RootCAs(files["ca"]))
	}
	if files["cert"] != "" {
		a.options = append(a.options, nats.ClientCert(files["cert"], files["key"]))
	}
	if files["creds"] != "" {
		a.options = append(a.options, nats.UserCredentials(files["creds"]))
	}
	return a, nil
}
