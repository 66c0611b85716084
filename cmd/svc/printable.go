package main

import (
	"fmt"
	"reflect"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// Whatever comes from afar (what a server says, what a bundle or a folder holds)
// is shown by package printable: print, note, step, status and printJSON call it, and
// nothing else writes to the two streams but what svc says by itself.

// shown is text that may be written as it is: what came from afar is printable in
// it, and the rest, such as colours, is svc's own.
type shown string

// keepInLine makes every text among the arguments of a format stay in its line,
// but for what is shown.
func keepInLine(args []any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case shown:
		case error:
			args[i] = printable.Line(v.Error())
		case fmt.Stringer:
			args[i] = printable.Line(v.String())
		default:
			if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
				args[i] = printable.Line(text.String())
			}
		}
	}
}
