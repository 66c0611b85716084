package stack

import "github.com/bundle-delivery/svc/internal/scaffold"

// RenderCommon writes the files that every project has.
func RenderCommon(p Project) ([]scaffold.File, error) {
	return library().Render("common", p, nil)
}
