package modelproxy

import (
	"errors"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// kind is what an answer is.
type kind string

const (
	eventStream kind = "text/event-stream"
	wholeJSON   kind = "application/json"
	plainText   kind = "text/plain; charset=utf-8"
)

// kindOf reads what an answer is. What is not known is text for the agent.
func kindOf(answer *http.Response) kind {
	name, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case err != nil && name == "":
	case name == string(eventStream):
		return eventStream
	case name == string(wholeJSON), strings.HasPrefix(name, "application/") && strings.HasSuffix(name, "+json"):
		return wholeJSON
	}
	return plainText
}

var (
	errEncoded = errors.New("the provider compressed its answer although it was asked not to; configure it to answer without Content-Encoding")
	errCharset = errors.New("the provider answered in another character set than UTF-8; configure it to answer in UTF-8")
)

// readable returns why the key could not be found in an answer; nil: it could.
func readable(answer *http.Response) error {
	for _, value := range answer.Header.Values("Content-Encoding") {
		for _, encoding := range strings.Split(value, ",") {
			if encoding = strings.TrimSpace(encoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
				return errEncoded
			}
		}
	}
	_, parameters, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")) // none is no charset
	if charset := strings.ToLower(parameters["charset"]); charset != "" && charset != "utf-8" && charset != "utf8" && charset != "us-ascii" {
		return errCharset
	}
	return nil
}

// copyHeader passes on what an agent may want to know, in our own words: a provider
// may repeat the key in any header.
func copyHeader(w http.ResponseWriter, answer *http.Response) {
	w.Header().Set("Content-Type", string(kindOf(answer)))
	for name, most := range map[string]float64{"Retry-After": 1e7, "Retry-After-Ms": 1e10} {
		if n, err := strconv.ParseFloat(answer.Header.Get(name), 64); err == nil && n >= 0 && n < most {
			w.Header().Set(name, strconv.FormatFloat(math.Round(n*1000)/1000, 'f', -1, 64))
		}
	}
	if at, err := http.ParseTime(answer.Header.Get("Retry-After")); err == nil {
		w.Header().Set("Retry-After", at.UTC().Format(http.TimeFormat))
	}
}
