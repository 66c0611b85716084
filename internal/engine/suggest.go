package engine

import "strings"

// works stands before the request that a refusal suggests.
const works = ` A request that works: "`

// Suggest ends what a refusal says with a request near to the one that was refused.
func Suggest(refusal, request string) string { return refusal + works + request + `"` }

// Suggested takes a refusal apart that ends with a request; where it does not, the
// request is empty.
func Suggested(message string) (refusal, request string) {
	at := strings.LastIndex(message, works)
	if at < 0 || !strings.HasSuffix(message, `"`) || at+len(works) >= len(message) {
		return message, ""
	}
	return message[:at], message[at+len(works) : len(message)-1]
}
