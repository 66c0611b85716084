package edge

import (
	"context"
	"log"
	"log/slog"
	"strings"
)

// ErrorLog is where a server writes what no handler can tell. Handshakes that
// fail by the client's doing are the noise of every open port and of no use but
// for a close look; all else is a warning.
func ErrorLog(to *slog.Logger) *log.Logger {
	return log.New(&errorLog{to}, "", 0)
}

type errorLog struct{ to *slog.Logger }

// Write takes one entry; package log gives it whole.
func (l *errorLog) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	level := slog.LevelWarn
	if clientsOwnFault(text) {
		level = slog.LevelDebug
	}
	l.to.Log(context.Background(), level, "http server", "error", text)
	return len(p), nil
}

// clientsOwnFault says whether an entry is of a handshake that the client gave
// up, or could not begin.
func clientsOwnFault(text string) bool {
	// net/http has no type for it; the cause is the end of the line.
	if !strings.HasPrefix(text, "http: TLS handshake error from ") {
		return false
	}
	for _, cause := range []string{
		": EOF", ": remote error: ", "connection reset by peer", "broken pipe", "i/o timeout",
		": tls: client ", ": tls: unsupported ", ": tls: no cipher suite", ": tls: first record",
		": " + errPlainHTTP.Error(), ": " + errNoClient.Error(), ": proxyproto: ",
	} {
		if strings.Contains(text, cause) {
			return true
		}
	}
	return false
}
