// Package follow proves from outside that any client of Server-Sent Events can
// follow a run: a page in a browser that uses fetch, the npm package eventsource
// with a header, and curl in a loop. All of them watch the same run through a
// proxy that cuts them off at random, and each must rebuild every file exactly
// as it stands in the bundle. It has tests only.
package follow
