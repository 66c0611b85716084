package project

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Slug reduces text to the name of a project.
func Slug(text string) string {
	s := plaintext.Slug(text)
	return s + lexicon.Tables["reserved-name"][s]
}

var (
	fieldName   = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(_[a-z0-9]{1,23}){0,5}$`)      // words with underscores between
	asTold      = regexp.MustCompile(`^[\pL\d](?:[\pL\d ,.:;/()'–-]{0,118}[\pL\d.)])?$`) // on a page
	sectionName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(-[a-z0-9]{1,24}){0,7}$`)      // with hyphens
)

// AsTold says whether a text can stand on a page as it was told.
func AsTold(s string) bool { return asTold.MatchString(s) }

// NotFieldName says whether a text cannot name a field.
func NotFieldName(s string) bool { return !fieldName.MatchString(s) }

// NotSectionName says whether a text cannot name a section.
func NotSectionName(s string) bool {
	return !sectionName.MatchString(s) || strings.HasPrefix(s, "name-") || english.HasSuffix(s, "-title") || lexicon.Is("reserved-section", s)
}
