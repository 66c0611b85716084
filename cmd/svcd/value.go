package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// value is a setting's value of any type: a pflag.Value that reads text with
// parse and shows its default with show.
type value[T any] struct {
	to    *T
	kind  string
	parse func(string) (T, error)
	show  func(T) string
}

func newValue[T any](to *T, kind string, parse func(string) (T, error), show func(T) string) *value[T] {
	return &value[T]{to: to, kind: kind, parse: parse, show: show}
}

// Set reads a text.
func (v *value[T]) Set(text string) error {
	parsed, err := v.parse(text)
	if err != nil {
		return err
	}
	*v.to = parsed
	return nil
}

// String shows what is set.
func (v *value[T]) String() string {
	if v.to == nil {
		return "" // pflag asks an empty value whether it is a default
	}
	return v.show(*v.to)
}

// Type names the kind of value, for help.
func (v *value[T]) Type() string { return v.kind }

func textValue(to *string, kind string) *value[string] {
	return newValue(to, kind, func(s string) (string, error) { return s, nil }, func(s string) string { return s })
}

// switchKind is the type of a flag that needs no value.
const switchKind = "bool"

func switchValue(to *bool) *value[bool] {
	return newValue(to, switchKind, func(text string) (bool, error) {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return false, fmt.Errorf("%q is neither true nor false", text)
		}
		return on, nil
	}, strconv.FormatBool)
}

func addressValue(to *string) *value[string] {
	return newValue(to, "host:port", parseAddress, func(s string) string { return s })
}

// parseAddress accepts what can be listened on.
func parseAddress(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is no address such as 127.0.0.1:8443", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q has no port between 0 and 65535", text)
	}
	return text, nil
}

// durationValue holds times from a shortest one on.
func durationValue(to *time.Duration, shortest time.Duration) *value[time.Duration] {
	return newValue(to, "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration such as 90s, 15m or 24h", text)
		}
		if d < shortest {
			return 0, fmt.Errorf("%s is shorter than %s", text, shortest)
		}
		return d, nil
	}, shortDuration)
}

// shortDuration writes 24h0m0s as 24h.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// countValue holds whole numbers from low to high.
func countValue(to *int, low, high int) *value[int] {
	return newValue(to, "number", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("%q is no whole number from %d to %d", text, low, high)
		}
		return n, nil
	}, strconv.Itoa)
}

// sizeUnits are the units of sizes, each with its bytes. Longer ones come first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

func sizeValue(to *int64) *value[int64] {
	return newValue(to, "size", parseSize, showSize)
}

func parseSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no size such as 500MB, 4GiB or a number of bytes", text)
	}
	return n * unit, nil
}

func showSize(n int64) string {
	for _, u := range []int{3, 2, 1, 0} {
		if unit := sizeUnits[u]; n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// baseURLValue holds an https address, perhaps with a path, without a final slash.
func baseURLValue(to **url.URL) *value[*url.URL] {
	return newValue(to, "url", parseBaseURL, func(u *url.URL) string {
		if u == nil {
			return ""
		}
		return u.String()
	})
}

func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is no address such as https://bundles.example.com", text)
	case u.Scheme != "https":
		return nil, fmt.Errorf("%q does not begin with https://", text)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("%q has more than host, port and path", text)
	case u.EscapedPath() != u.Path || strings.ContainsAny(u.Path, "{}") || strings.Contains(u.Path, "//"):
		return nil, fmt.Errorf("%q has a path with characters that need escaping", text)
	case slices.ContainsFunc(strings.Split(u.Path, "/"), func(step string) bool { return step == "." || step == ".." }):
		return nil, fmt.Errorf("%q has . or .. as a step of its path", text)
	}
	if err := checkHost(u.Hostname()); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if rest := u.Host[strings.LastIndexAny(u.Host, ":]")+1:]; strings.HasSuffix(u.Host, ":") || u.Port() != "" {
		if port, err := strconv.ParseUint(rest, 10, 16); err != nil || port == 0 {
			return nil, fmt.Errorf("%q has no port between 1 and 65535", text)
		}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// checkHost wants one host, by its address or by a name as certificates have it.
func checkHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		switch {
		case ip.IsUnspecified():
			return fmt.Errorf("the address %s stands for all of a machine's and leads nowhere", host)
		case ip.Zone() != "":
			return fmt.Errorf("the address %s means something on one machine alone", host)
		}
		return nil
	}
	const longest, longestLabel = 253, 63
	for label := range strings.SplitSeq(host, ".") {
		named := label != "" && len(label) <= longestLabel && label[0] != '-' && label[len(label)-1] != '-'
		if !named || len(host) > longest || strings.ContainsFunc(label, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
		}) {
			return fmt.Errorf("%q is no host name of letters, digits and hyphens between dots (write others in their xn-- form)", host)
		}
	}
	return nil
}

// networksValue gathers address ranges; one given more than once adds up.
func networksValue(to *[]netip.Prefix) *value[[]netip.Prefix] {
	return newValue(to, "cidr,…", func(text string) ([]netip.Prefix, error) {
		found := slices.Clone(*to)
		for part := range strings.SplitSeq(text, ",") {
			prefix, err := parseNetwork(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			found = append(found, prefix)
		}
		return found, nil
	}, func(all []netip.Prefix) string {
		texts := make([]string, len(all))
		for i, p := range all {
			texts[i] = p.String()
		}
		return strings.Join(texts, ",")
	})
}

func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is no range of addresses such as 10.0.0.0/8", text)
	}
	if p != p.Masked() {
		return netip.Prefix{}, fmt.Errorf("%q names one address inside the range %s; say which one is meant", text, p.Masked())
	}
	return p, nil
}

// choiceValue holds one of several words.
func choiceValue(to *string, kind string, choices ...string) *value[string] {
	return newValue(to, kind, func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", fmt.Errorf("%q is none of %s", text, strings.Join(choices, ", "))
		}
		return text, nil
	}, func(s string) string { return s })
}

// choicesValue holds some of several words, each once.
func choicesValue(to *[]string, kind string, choices ...string) *value[[]string] {
	return newValue(to, kind, func(text string) ([]string, error) {
		var chosen []string
		for part := range strings.SplitSeq(text, ",") {
			part = strings.TrimSpace(part)
			if !slices.Contains(choices, part) {
				return nil, fmt.Errorf("%q is none of %s", part, strings.Join(choices, ", "))
			}
			if slices.Contains(chosen, part) {
				return nil, fmt.Errorf("%q is named twice", part)
			}
			chosen = append(chosen, part)
		}
		if len(chosen) == 0 {
			return nil, errors.New("nothing is chosen")
		}
		return chosen, nil
	}, func(all []string) string { return strings.Join(all, ",") })
}
