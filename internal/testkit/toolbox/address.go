package toolbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
)

// Ports are chosen below those that systems give out by themselves: nobody gets
// one by chance before its server listens on it, nor while a server that is
// started again does not.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// FreeAddress chooses an address on the loopback on which nobody listens.
func FreeAddress() (string, error) {
	var taken error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		l, err := net.Listen("tcp", address)
		if err == nil {
			return address, l.Close()
		}
		taken = err
	}
	return "", fmt.Errorf("choose a port: all that were tried are in use: %w", taken)
}

// FreeAddresses chooses several, all different.
func FreeAddresses(n int) ([]string, error) {
	seen := map[string]bool{}
	for len(seen) < n {
		address, err := FreeAddress()
		if err != nil {
			return nil, err
		}
		seen[address] = true
	}
	return slices.Collect(maps.Keys(seen)), nil
}
