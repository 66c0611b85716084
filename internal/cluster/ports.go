//go:build unix

package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// Ports are chosen below those that systems give out by themselves: a process
// that is started again finds its own free.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// freeAddress chooses an address on the loopback on which nobody listens.
func freeAddress() (string, error) {
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort) //nolint:gosec // nobody has to be unable to guess it
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		l, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err == nil {
			err = l.Close()
		}
		if err != nil {
			return "", fmt.Errorf("choose a port: %w", err)
		}
		return address, nil
	}
	return "", errors.New("choose a port: all that were tried are in use")
}

// FreeAddresses chooses several, all different.
func FreeAddresses(n int) ([]string, error) {
	seen := map[string]bool{}
	all := make([]string, 0, n)
	for len(all) < n {
		address, err := freeAddress()
		if err != nil {
			return nil, err
		}
		if !seen[address] {
			seen[address] = true
			all = append(all, address)
		}
	}
	return all, nil
}
