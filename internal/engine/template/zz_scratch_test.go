package template

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("SENTENCES"))
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		steps := strings.Split(strings.ReplaceAll(line, `\n`, "\n"), " => ")
		fmt.Println("> " + line)
		p, err := begin(steps[0], constraints{})
		for _, s := range steps[1:] {
			if err == nil {
				p, err = carryOn(p.spec, s, constraints{})
			}
		}
		if err != nil {
			fmt.Println("  NO", err)
			continue
		}
		for _, d := range p.spec.Decisions() {
			if d.Key != "engine" && d.Text() != "" && d.Text() != "none" && d.Text() != "off" && !(d.Key == "port" && (d.Text() == "8080" || d.Text() == "3000" || d.Text() == "8000")) {
				fmt.Printf("  %s=%s", d.Key, d.Text())
			}
		}
		fmt.Println()
	}
}
