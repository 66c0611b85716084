package setting

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Address is a host and a port to listen on.
func Address(to *string) *Value[string] {
	return New(to, "host:port", parseAddress, func(s string) string { return s })
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

// BaseURL holds an https address, perhaps with a path, without a final slash.
func BaseURL(to **url.URL) *Value[*url.URL] {
	return New(to, "url", parseBaseURL, func(u *url.URL) string {
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
	if err := CheckHost(u.Hostname()); err != nil {
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

// CheckHost wants one host, by its address or by a name as certificates have it.
func CheckHost(host string) error {
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

// Networks gathers address ranges; one given more than once adds up.
func Networks(to *[]netip.Prefix) *Value[[]netip.Prefix] {
	return New(to, "cidr,…", func(text string) ([]netip.Prefix, error) {
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
