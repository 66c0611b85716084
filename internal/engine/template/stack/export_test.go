package stack

// RenderCommon writes the files that every project has.
func RenderCommon(p Project) ([]File, error) { return render(templates()["common"], p) }
