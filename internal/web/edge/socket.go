package edge

import (
	"context"
	"net"
)

// unsentBytes is how much the system takes of an answer before it can be sent: a
// client that stops reading would otherwise have megabytes read and kept for it.
// What is on its way is not counted, so that a fast client is as fast.
const unsentBytes = 256 << 10

// Listen opens a listener whose connections do not gather what nobody takes.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	config := net.ListenConfig{Control: boundUnsent}
	config.SetMultipathTCP(false) // its connections do not have what their listener was told
	return config.Listen(ctx, "tcp", address)
}
