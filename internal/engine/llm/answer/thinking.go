package answer

import (
	"regexp"
	"strings"
)

var (
	thinkOpen  = regexp.MustCompile(`(?i)<(think|thinking|reasoning)>`)
	thinkClose = regexp.MustCompile(`(?i)</(think|thinking|reasoning)>`)
	// begins finds where an answer proper begins: behind it thinking is content.
	begins = regexp.MustCompile("(?m)^[ \t]*(?:<file_content|<<<<<<< |```|\\{|<(?:read|search|done)\\b)")
)

// Said is an answer without what a model thought aloud before it.
func Said(text string) string {
	text, _ = withoutThinking(text)
	return text
}

// withoutThinking takes thinking out that stands before the answer proper, and says
// whether some of it was not closed.
func withoutThinking(text string) (rest string, open bool) {
	var kept strings.Builder
	for {
		start := len(text)
		if at := begins.FindStringIndex(text); at != nil {
			start = at[0]
		}
		opened := thinkOpen.FindStringIndex(text[:start])
		closed := thinkClose.FindStringIndex(text[:start])
		switch {
		case closed != nil && (opened == nil || closed[0] < opened[0]):
			// Some servers leave out the opening: all before it was thought.
			kept.Reset()
			text = text[closed[1]:]
		case opened != nil:
			end := thinkClose.FindStringIndex(text[opened[1]:])
			kept.WriteString(text[:opened[0]])
			if end == nil {
				return kept.String() + text[opened[1]:], true
			}
			text = text[opened[1]+end[1]:]
		default:
			return kept.String() + text, false
		}
	}
}

// withoutLeadingThought takes thinking off the beginning of a content.
func withoutLeadingThought(content string) string {
	for {
		trimmed := strings.TrimLeft(content, " \t\r\n")
		opened := thinkOpen.FindStringIndex(trimmed)
		if opened == nil || opened[0] != 0 {
			return content
		}
		closed := thinkClose.FindStringIndex(trimmed)
		if closed == nil {
			return content
		}
		content = strings.TrimLeft(trimmed[closed[1]:], "\r\n")
	}
}
