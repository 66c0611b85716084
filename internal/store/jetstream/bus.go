package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	neturl "net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
)

const (
	startTimeout = 30 * time.Second
	// askTimeout bounds every question to the log. Losing the leader of a
	// replicated stream costs some seconds, which are waited for.
	askTimeout = 15 * time.Second
	// writeDeadline is how long the embedded server waits for this process to
	// take what it sends before it breaks the connection.
	writeDeadline = 30 * time.Second
	// maxPayload is the largest message, NATS' own default: servers elsewhere
	// have it.
	maxPayload = 1 << 20
	// embeddedStore is what the embedded server may keep: the bounds are those of
	// the stream, and of the disk.
	embeddedStore = 1 << 50
)

// Config says which NATS to use and how long to keep events.
type Config struct {
	// URL names servers elsewhere, with commas between them: nats:// or tls://,
	// perhaps with a user and password, and with the files of the parameters ca,
	// cert, key and creds. Empty: embed one that keeps its data in Dir.
	URL string
	Dir string
	// Retention is how long an event is kept.
	Retention time.Duration
	// MaxBytes is how much the log may hold: beyond it new events are refused, and
	// none is forgotten before its time. 0 chooses: what the log has already, or
	// 8 GiB, or less where the servers cannot give that much.
	MaxBytes int64
	// Replicas is how many servers keep each event; 0 chooses: three on a
	// cluster, one elsewhere, and never fewer than there are already.
	Replicas int
	Log      *slog.Logger
}

// Bus is a connection to NATS and, when embedded, the server behind it.
type Bus struct {
	log    *slog.Logger
	server *server.Server // nil when it is elsewhere
	conn   *nats.Conn
	js     jetstream.JetStream
	events *eventLog
	// recovery opens the embedded server's store again; nil when it is elsewhere.
	recovery *storeRecovery
	stuck    atomic.Int32  // writers whose events the log has not taken for a while
	closed   chan struct{} // when closing has begun
	closing  sync.Once
}

// Open starts or reaches NATS and makes sure that the stream exists.
func Open(ctx context.Context, cfg Config) (*Bus, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Retention <= 0 {
		return nil, errors.New("jetstream: the retention of events is not set")
	}
	b := &Bus{log: cfg.Log, closed: make(chan struct{})}
	if err := b.connect(cfg); err != nil {
		b.Close()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := b.openLog(ctx, cfg); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bus) connect(cfg Config) error {
	opts := []nats.Option{
		nats.Name("svcd"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond),
		nats.Timeout(5 * time.Second),
		nats.RetryOnFailedConnect(false),
		nats.ReconnectHandler(func(*nats.Conn) {
			b.log.Info("connection to the event log is back")
			b.invalidateFeeds()
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			select {
			case <-b.closed:
			default:
				b.log.Warn("connection to the event log broke", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			// A full buffer: feeds find the gap by its number, or here.
			b.log.Debug("news of events was dropped", "error", err)
			b.invalidateFeeds()
		}),
	}
	url := cfg.URL
	if url != "" {
		elsewhere, err := parse(url)
		if err != nil {
			return fmt.Errorf("the address of NATS: %w", err)
		}
		url, opts = strings.Join(elsewhere.servers, ","), append(opts, elsewhere.options...)
	} else {
		srv, err := embed(cfg)
		if err != nil {
			return err
		}
		b.server = srv
		b.recovery = startRecovery(b, cfg.Dir)
		opts = append(opts, nats.InProcessServer(srv))
		url = nats.DefaultURL // not dialled: the connection stays in the process
	}
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		return fmt.Errorf("reach NATS at %s: %w", withoutSecrets(url), err)
	}
	b.conn = conn
	if err := checkVersion(conn.ConnectedServerVersion()); err != nil {
		return fmt.Errorf("use NATS at %s: %w", withoutSecrets(url), err)
	}
	b.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(askTimeout), jetstream.WithPublishAsyncTimeout(ackTimeout))
	if err != nil {
		return fmt.Errorf("use JetStream: %w", err)
	}
	return nil
}

// embed starts a server that nobody outside this process can reach.
func embed(cfg Config) (*server.Server, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName:             "svcd",
		DontListen:             true,
		NoSigs:                 true,
		JetStream:              true,
		StoreDir:               cfg.Dir,
		JetStreamMaxStore:      embeddedStore,
		DisableJetStreamBanner: true,
		MaxPayload:             maxPayload,
		MaxPending:             256 << 20,
		NoSublistCache:         true, // of thousands of runs, and an inbox for every answer: hardly a subject comes twice in time
		WriteDeadline:          writeDeadline,
	})
	if err != nil {
		return nil, fmt.Errorf("make the embedded event log: %w", err)
	}
	srv.SetLoggerV2(serverLog{cfg.Log}, false, false, false)
	go srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		srv.Shutdown()
		return nil, fmt.Errorf("the embedded event log in %s does not start", cfg.Dir)
	}
	return srv, nil
}

// withoutSecrets shows a list of addresses without the passwords in it.
func withoutSecrets(list string) string {
	var shown []string
	for address := range strings.SplitSeq(list, ",") {
		u, err := neturl.Parse(strings.TrimSpace(address))
		if err != nil {
			shown = append(shown, "an address that cannot be read")
			continue
		}
		if u.User != nil {
			u.User = neturl.User("xxxxx") // a name alone may be a token
		}
		shown = append(shown, u.String())
	}
	return strings.Join(shown, ",")
}

// checkVersion refuses servers that cannot give several messages at once.
func checkVersion(version string) error {
	const major, minor = 2, 11
	var x, y int
	if _, err := fmt.Sscanf(version, "%d.%d", &x, &y); err != nil {
		return fmt.Errorf("its version %q cannot be read", version)
	}
	if x < major || x == major && y < minor {
		return fmt.Errorf("it is version %s; %d.%d or later is needed", version, major, minor)
	}
	return nil
}

func (b *Bus) invalidateFeeds() {
	if b.events != nil {
		b.events.hub.invalidateFeeds()
	}
}

// Ping says whether NATS can be used.
func (b *Bus) Ping(ctx context.Context) error {
	if !b.conn.IsConnected() {
		return fmt.Errorf("%w: there is no connection to the event log", svc.ErrUnavailable)
	}
	if n := b.stuck.Load(); n > 0 { // one without room answers questions all the same
		return fmt.Errorf("%w: the event log takes nothing of %d runs", svc.ErrUnavailable, n)
	}
	if _, err := b.js.Stream(ctx, streamName); err != nil {
		return fmt.Errorf("ask the event log: %w", unreached(err))
	}
	return nil
}

// Close ends the connection and the embedded server, and returns when what was
// written is with the operating system. Closing again does nothing.
func (b *Bus) Close() { b.closing.Do(b.close) }

func (b *Bus) close() {
	close(b.closed)
	b.recovery.close()
	if b.conn != nil {
		b.conn.Close()
	}
	if b.js != nil {
		b.js.CleanupPublisher() // who waits for an acknowledgement hears of it now, and not after a timeout
	}
	if b.events != nil {
		b.events.hub.wait.Wait()
	}
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
}

// serverLog passes on what the embedded server has to say; what it only
// notices is noise beside the lines of a service.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Noticef(format string, v ...any) {
	l.log.Debug("nats: " + fmt.Sprintf(format, v...))
}

func (l serverLog) Debugf(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }

func (l serverLog) Tracef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }

func (l serverLog) Warnf(format string, v ...any) { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }

func (l serverLog) Errorf(format string, v ...any) { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }

func (l serverLog) Fatalf(format string, v ...any) { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
