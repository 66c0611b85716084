// Package proctree finds the processes below a process, on Linux.
//
// A process that its parent left belongs to the next ancestor that takes orphans
// in, or to the first process of its namespace: so everything that was started
// inside a namespace stays below the process that made it.
package proctree

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Descendants lists the children of a process, their children, and so on.
func Descendants(of int) []int {
	all := children(of)
	for i := 0; i < len(all); i++ {
		all = append(all, children(all[i])...)
	}
	return all
}

// listed says whether the kernel lists the children of a thread.
var listed = sync.OnceValue(func() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
})

// children lists those of one process, as the kernel keeps them by thread. Where
// it does not, all processes are asked for their parents.
func children(of int) []int {
	if !listed() {
		return childrenByParent(of)
	}
	tasks := fmt.Sprintf("/proc/%d/task", of)
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil // it has ended
	}
	var found []int
	for _, thread := range threads {
		text, err := os.ReadFile(filepath.Join(tasks, thread.Name(), "children"))
		if err != nil {
			continue // the thread ended meanwhile, and its children are another's
		}
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

func childrenByParent(of int) []int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil // the pattern is good
	}
	var found []int
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it ended meanwhile
		}
		if pid, parent, ok := parentage(string(text)); ok && parent == of {
			found = append(found, pid)
		}
	}
	return found
}

// parentage reads a line of /proc/<pid>/stat: the number, the name in
// parentheses, which may hold anything, the state, the parent's number.
func parentage(stat string) (pid, parent int, ok bool) {
	first, _, found := strings.Cut(stat, " ")
	rest := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if !found || len(rest) < 2 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(rest[1])
	return pid, parent, err == nil
}
