package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/web/clientdir"
)

// The parts that a process can play.
const (
	roleAPI       = "api"
	roleWorker    = "worker"
	roleAssembler = "assembler"
)

// The engines that there are.
const (
	engineTemplate  = "template"
	engineExec      = "exec"
	engineAgent     = "agent"
	engineAnthropic = "anthropic"
	engineOpenAI    = "openai"
)

// settings are everything that can be chosen.
type settings struct {
	listen       string
	dataDir      string
	baseURL      *url.URL // nil: from the listener
	tlsCert      string
	tlsKey       string
	signingKey   string // file; empty: one that the service made
	acme         acmeSettings
	proxyListen  string // empty: off
	trustedProxy []netip.Prefix
	announced    bool   // the proxies announce clients on the HTTPS address
	databaseURL  string // empty: SQLite in the data folder
	blobURL      string // empty: a folder in the data folder
	natsURL      string // empty: embedded
	natsReplicas int    // 0: what the servers can
	eventBytes   int64  // 0: as the log chooses
	roles        []string
	engine       string
	command      string // of the exec engine, or of an agent
	agent        agentSettings
	models       modelSettings
	trials       trialSettings
	signIn       signInSettings
	workers      int
	cleanup      time.Duration
	limits       delivery.Limits
	runLimits    generation.Limits
	adminListen  string // empty: off
	drainDelay   time.Duration

	runRetention, bundleRetention, auditRetention time.Duration // 0: for ever

	clientDir  string // empty: none
	printSetUp bool
}

func defaultSettings() *settings {
	return &settings{
		listen:  "127.0.0.1:8443",
		dataDir: "./svcd-data",
		roles:   []string{roleAPI, roleWorker, roleAssembler},
		engine:  engineTemplate,
		agent:   defaultAgentSettings(),
		models:  defaultModelSettings(),
		trials:  defaultTrialSettings(),
		workers: 4,
		cleanup: time.Hour,
		signIn:  defaultSignInSettings(),

		limits:    delivery.DefaultLimits(),
		runLimits: generation.DefaultLimits(),
	}
}

// table is every setting there is, bound to its place.
func (s *settings) table() []setting.Setting {
	return append(slices.Concat(s.models.table(), s.agent.table(), s.trials.table(), s.acme.table(), s.signIn.table()), []setting.Setting{
		setting.Of("listen", "the HTTPS address; port 0 picks one. It is also written to svcd.addr in the data folder", setting.Address(&s.listen)),
		setting.Of("data-dir", "the folder for database, archives, events and certificates", setting.Text(&s.dataDir, "dir")),
		setting.Of("base-url", "the address that clients are told; it may end in a path (default from --listen)", setting.BaseURL(&s.baseURL)),
		setting.Of("tls-cert", "PEM file with your own certificate and its chain; changes are noticed. Without it a local authority is made", setting.Text(&s.tlsCert, "file")),
		setting.Of("tls-key", "PEM file with the key of --tls-cert", setting.Text(&s.tlsKey, "file")),
		setting.Of("signing-key-file", "PEM file with an Ed25519 key that signs where bundles come from; it is kept with the certificates, and the key before vouches for it (default one that the service makes)", setting.Text(&s.signingKey, "file")),
		setting.Of("proxy-listen", "a second, plain address for a proxy that ends TLS; it needs --trusted-proxy", setting.Address(&s.proxyListen)),
		setting.Of("proxy-protocol", "balancers that pass TCP on announce clients at --listen by the PROXY protocol (v1 or v2); it needs --trusted-proxy", setting.Switch(&s.announced)),
		setting.Of("trusted-proxy", "the addresses that proxies have; others are cut off from --proxy-listen, and may announce nobody", setting.Networks(&s.trustedProxy)),
		setting.Of("database-url", "the PostgreSQL for the records, as postgres://user@host/name (default SQLite in the data folder)", setting.Text(&s.databaseURL, "url")),
		setting.Of("blob-url", "the S3 bucket for the archives, as s3://bucket?endpoint=…&region=…&ca=file, with the keys in the usual AWS variables (default a folder in the data folder)", setting.Text(&s.blobURL, "url")),
		setting.Of("nats-url", "the NATS servers for events, as nats://host:4222,nats://… or tls://…?ca=file&creds=file (default embedded in the process)", setting.Text(&s.natsURL, "url")),
		setting.Of("nats-replicas", "how many NATS servers keep each event; 0 is three on a cluster and one elsewhere", setting.Count(&s.natsReplicas, 0, 5)),
		setting.Of("event-bytes", "how much the event log may hold, at least 64MiB; beyond it runs wait until old events are over. auto is what it has, or 8GiB, or what NATS can give", eventBytesValue(&s.eventBytes)),
		setting.Of("roles", "the parts that this process plays", setting.Choices(&s.roles, "role,…", roleAPI, roleWorker, roleAssembler)),
		setting.Of("engine", "what generates: template (offline, deterministic), exec (a program of yours), agent (a coding agent: see --engine-agent), anthropic or openai (models)", setting.Choice(&s.engine, "name", engineTemplate, engineExec, engineAgent, engineAnthropic, engineOpenAI)),
		setting.Of("engine-command", "the program of the exec engine, or of an agent, with its arguments; quoted as for a shell, run without one", setting.Text(&s.command, "command")),
		setting.Of("workers", "how many generations this process works on at a time", setting.Count(&s.workers, 1, 10_000)),
		setting.Of("queue-depth", "how many generations may wait in all", setting.Count(&s.runLimits.QueueDepth, 1, 1_000_000)),
		setting.Of("queue-share", "how many generations of one account may wait", setting.Count(&s.runLimits.QueueShare, 1, 1_000_000)),
		setting.Of("account-streams", "how many streams of one account this process has open, the console's included", setting.Count(&s.runLimits.AccountStreams, 1, 1_000_000)),
		setting.Of("bundle-ttl", "the life of a bundle that nobody acknowledges", setting.Duration(&s.limits.BundleTTL, time.Millisecond)),
		setting.Of("cleanup-interval", "how often the clean-up job is due", setting.Duration(&s.cleanup, time.Millisecond)),
		setting.Of("run-retention", "how long records of finished generations are kept, at least 744h, or keep: the month's usage is counted from them", keepValue(&s.runRetention, 31*24*time.Hour)),
		setting.Of("bundle-retention", "how long records of bundles that are gone are kept, at least 1h, or keep", keepValue(&s.bundleRetention, time.Hour)),
		setting.Of("audit-retention", "how long entries of the audit log are kept, at least 24h, or keep", keepValue(&s.auditRetention, 24*time.Hour)),
		setting.Of("pending-bytes", "the size of the archives that may wait for one account", setting.Size(&s.limits.PendingBytes)),
		setting.Of("client-dir", "a folder with archives of the client and their checksums.txt, as make snapshot leaves them in dist, for the console to offer; changes are noticed (default none)", setting.Text(&s.clientDir, "dir")),
		setting.Of("print-setup-link", "print the link that makes the first account also where standard output is no terminal, and may be kept as a log", setting.Switch(&s.printSetUp)),
		setting.Of("admin-listen", "an address for /metrics, /healthz and /debug/pprof; keep it private (default off)", setting.Address(&s.adminListen)),
		setting.Of("drain-delay", "how long /readyz says 503 after SIGTERM before the listeners close, so that balancers notice", setting.Duration(&s.drainDelay, 0)),
	}...)
}

// pick gives some of the settings, for a command that needs no more.
func (s *settings) pick(names ...string) []setting.Setting {
	return slices.DeleteFunc(s.table(), func(s setting.Setting) bool { return !slices.Contains(names, s.Name) })
}

// check refuses settings that do not go together.
func (s *settings) check() error {
	switch {
	case s.dataDir == "":
		return usagef("--data-dir is empty; name a folder")
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return usagef("--tls-cert and --tls-key belong together; give both or neither")
	case s.proxyListen != "" && len(s.trustedProxy) == 0:
		return usagef("--proxy-listen needs --trusted-proxy: the address of the proxy, or nobody would be answered")
	case s.announced && len(s.trustedProxy) == 0:
		return usagef("--proxy-protocol needs --trusted-proxy: the address of the balancer, or nobody would be believed")
	case s.proxyListen == "" && !s.announced && len(s.trustedProxy) > 0:
		return usagef("--trusted-proxy has no use without --proxy-listen, the address that the proxy connects to, or --proxy-protocol")
	case s.engine == engineExec && s.command == "":
		return usagef("--engine exec needs --engine-command, the program that generates")
	case s.engine != engineExec && s.engine != engineAgent && s.command != "":
		return usagef("--engine-command has no use without --engine exec or --engine agent")
	}
	if s.clientDir != "" {
		if _, err := clientdir.Open(s.clientDir); err != nil {
			return usagef("--client-dir: %w", err)
		}
	}
	if err := s.checkStorage(); err != nil {
		return err
	}
	if err := s.checkEvents(); err != nil {
		return err
	}
	if err := s.acme.check(s); err != nil {
		return err
	}
	if err := s.signIn.check(); err != nil {
		return err
	}
	if err := s.trials.check(); err != nil {
		return err
	}
	if err := s.agent.check(s); err != nil {
		return err
	}
	return s.models.check(s.engine)
}

func (s *settings) plays(role string) bool { return slices.Contains(s.roles, role) }

// baseFor is the address that clients are told, when the process listens there.
// Somebody who listens everywhere and says no name is told that of this machine.
func (s *settings) baseFor(address net.Addr) *url.URL {
	if s.baseURL != nil {
		return s.baseURL
	}
	if len(s.acme.domains) > 0 {
		return s.acme.base()
	}
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return &url.URL{Scheme: "https", Host: address.String()}
	}
	if ip, err := netip.ParseAddr(host); err != nil || ip.IsUnspecified() {
		host = "localhost"
	}
	if asked, _, err := net.SplitHostPort(s.listen); err == nil && asked != "" {
		if _, err := netip.ParseAddr(asked); err != nil {
			host = asked // a name was given: it says more than the address it led to
		}
	}
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
}

// resolve fills in the settings that no flag has given.
func (s *settings) resolve(flags *pflag.FlagSet, environment []string, offered []setting.Setting) error {
	ours := setting.Program{Prefix: "SVCD_", Help: "svcd serve --help"}
	if err := ours.Resolve(flags, environment, s.table(), offered); err != nil {
		return &usageError{err}
	}
	return nil
}

// keepValue is a time for which something is kept; keep is for ever.
func keepValue(to *time.Duration, shortest time.Duration) *setting.Value[time.Duration] {
	const keep = "keep"
	return setting.New(to, "duration|keep", func(text string) (time.Duration, error) {
		if text == keep {
			return 0, nil
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither keep nor a duration such as 2160h", text)
		}
		if d < shortest {
			return 0, fmt.Errorf("%s is shorter than %s", text, shortest)
		}
		return d, nil
	}, func(d time.Duration) string {
		if d == 0 {
			return keep
		}
		return d.String()
	})
}
