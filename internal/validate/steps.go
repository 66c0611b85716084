package validate

import (
	"path"
	"strings"
)

// step is one command of a project.
type step struct {
	name string // as it is shown
	tool string
	args []string
	dir  string
	// fetches says that it brings dependencies, without which the others make no
	// sense.
	fetches bool
	level   Level
	env     []string
	// why says that it cannot be made at all.
	why string
	// remark is said of it when it passed.
	remark string
}

// steps are the commands of a project, in their order. There is always one.
func (p project) steps() []step {
	var all []step
	switch p.kind {
	case kindGo:
		all = p.goSteps()
	case kindNode:
		all = p.nodeSteps()
	case kindPython:
		all = p.pythonSteps()
	case kindRust:
		all = []step{
			{args: []string{"cargo", "check", "--workspace", "--all-targets"}, level: Build},
			{args: []string{"cargo", "test", "--workspace"}, level: Test},
		}
	case kindMake:
		all = []step{{args: []string{"make", "test"}, level: Test}}
	case kindOther:
		all = []step{{name: p.what, level: Build, why: "nothing here knows how to try that"}}
	}
	for i := range all {
		s := &all[i]
		s.tool = string(p.kind)
		if s.name == "" {
			s.name = strings.Join(s.args, " ")
		}
		if s.dir = path.Join(p.dir, s.dir); s.dir != "." {
			s.name += " (" + s.dir + ")"
		}
	}
	return all
}

func (p project) goSteps() (all []step) {
	if p.facts.dependencies {
		all = append(all, step{args: []string{"go", "mod", "download"}, fetches: true, level: Build})
	}
	build := step{args: []string{"go", "build", "./..."}, level: Build}
	if p.facts.unsummed != "" {
		build.remark = "go.sum lacks " + p.facts.unsummed + ": go mod tidy adds it"
	}
	all = append(all, build,
		step{args: []string{"go", "vet", "./..."}, level: Build},
		step{args: []string{"go", "test", "-count=1", "./..."}, level: Test})
	for i := range all {
		switch {
		case p.facts.workspace != "":
			all[i].env = []string{p.facts.workspace}
		case p.facts.vendored:
			all[i].env = []string{"GOFLAGS="} // -mod=mod would not look there
		}
	}
	return all
}

func (p project) nodeSteps() (all []step) {
	if p.facts.dependencies {
		how := "install"
		if p.facts.lock {
			how = "ci"
		}
		all = append(all, step{args: []string{"npm", how, "--ignore-scripts", "--no-audit", "--no-fund"}, fetches: true, level: Build})
	}
	for _, t := range p.facts.types {
		how := "--noEmit"
		if t.references {
			how = "-b" // without it, tsc looks at nothing that is only referred to
		}
		all = append(all, step{args: []string{"npx", "--no-install", "tsc", how}, dir: t.dir, level: Build})
	}
	if p.facts.tests {
		all = append(all, step{args: []string{"npm", "test"}, level: Test})
	}
	if p.facts.partTests {
		all = append(all, step{args: []string{"npm", "test", "--workspaces", "--if-present"}, level: Test})
	}
	if len(all) == 0 {
		all = append(all, step{name: "npm test", level: Test, why: "package.json has no test, and nothing else to be tried"})
	}
	return all
}
