package modelproxy

import (
	"fmt"
	"slices"
	"strings"
)

// toolList reads a list of tools, and cuts out those that the provider runs itself:
// searching, fetching and servers of tools lead past the hosts that an agent may
// reach. level is 1 for the list of a request and 2 for that of a group.
func (s *scan) toolList(level int) (list, error) {
	switch s.from.PeekKind() {
	case '[':
	case 'n':
		return list{}, s.skip()
	default:
		return list{gone: 1}, s.skip()
	}
	if level > maxToolDepth {
		return list{}, badRequest(fmt.Sprintf("tools are nested more than %d levels deep", maxToolDepth))
	}
	tools := list{isList: true}
	err := s.elements(func() error {
		if s.tools++; s.tools > maxTools {
			return badRequest(fmt.Sprintf("the request has more than %d tools", maxTools))
		}
		return s.item(&tools, func() (bool, error) { return s.tool(level) })
	})
	return tools, err
}

// tool reads one tool and reports whether the agent runs it itself.
func (s *scan) tool(level int) (own bool, err error) {
	if s.from.PeekKind() != '{' {
		return false, s.skip()
	}
	own = true
	seen := map[string]bool{}
	err = s.members(func(name string) error {
		// Some providers take names that differ in their case for the same.
		for _, read := range []string{"type", "tools"} {
			if strings.EqualFold(name, read) && (name != read || seen[read]) {
				return badRequest(fmt.Sprintf("a tool names %q twice or in another case", read))
			}
		}
		switch name {
		case "type":
			seen[name] = true
			kind, ok, err := s.text()
			own = own && ok && ownKind(kind)
			return err
		case "tools":
			seen[name] = true
			isNull := s.from.PeekKind() == 'n'
			inner, err := s.toolList(level + 1)
			own = own && (inner.isList || isNull)
			return err
		}
		return s.member(name)
	})
	return own, err
}

// ownKind reports whether the agent itself runs tools of a kind.
func ownKind(kind string) bool {
	return slices.Contains([]string{"", "function", "custom", "namespace", "local_shell", "apply_patch"}, kind) ||
		slices.ContainsFunc([]string{"bash_", "text_editor_", "memory_"}, func(own string) bool { return strings.HasPrefix(kind, own) })
}

// input reads the conversation of /v1/responses. Its items may bring tools, and may
// stand for what the provider stores.
func (s *scan) input() error {
	if s.from.PeekKind() != '[' {
		return s.skip()
	}
	return s.elements(func() error {
		if s.from.PeekKind() != '{' {
			return s.skip()
		}
		return s.members(func(name string) error {
			switch {
			case name == "type":
				kind, _, err := s.text()
				s.refers = s.refers || kind == "item_reference"
				return err
			case strings.EqualFold(name, "tools"):
				_, err := s.toolList(1)
				return err
			}
			return s.member(name)
		})
	})
}

// compacts reads what a provider is asked to do with a long conversation and reports
// whether that is to shorten it by another answer of the model, which no usage counts.
func (s *scan) compacts() (found bool, err error) {
	switch s.from.PeekKind() {
	case '{':
		err = s.members(func(name string) error {
			if !strings.EqualFold(name, "type") {
				inner, err := s.compacts()
				found = found || inner
				return err
			}
			kind, _, err := s.text()
			found = found || strings.HasPrefix(strings.ToLower(kind), "compact")
			return err
		})
		return found, err
	case '[':
		err = s.elements(func() error {
			inner, err := s.compacts()
			found = found || inner
			return err
		})
		return found, err
	}
	return false, s.skip()
}
