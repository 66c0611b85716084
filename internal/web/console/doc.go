// Package console serves the web console, in which people get their keys and see
// what their account is doing.
//
// Its invariants: pages are made on the server, and every action works without a
// script, but for passkeys, which browsers give to scripts alone; other scripts only
// spare people a reload. What another account has is a 404.
// A session opens the console and nothing else: the interface for programs never
// looks at its cookie. What a page shows of generated text passes through
// html/template; nothing is ever put into a page as markup. A page loads nothing
// from another host and runs no script that is not a file of this package. No
// GET changes anything, and a form that came from another site is refused.
package console
