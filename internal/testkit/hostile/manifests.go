package hostile

import (
	"maps"
	"strings"
)

// manifestCases are bundles whose ZIP is sound and whose manifest is not.
func manifestCases() []Case {
	raw := func(name, want, text string) Case { return Case{"manifest-" + name, want, rawManifest(text)} }
	top := func(name, want, key string, value any) Case {
		m := manifest()
		m[key] = value
		return Case{"manifest-" + name, want, zipFile{entries: []entry{m.entry()}}.bytes()}
	}
	without := func(key string) Case {
		m := manifest()
		delete(m, key)
		return Case{"manifest-without-" + key, key, zipFile{entries: []entry{m.entry()}}.bytes()}
	}
	bend := func(name, want, key string, value any) Case {
		return Case{"manifest-" + name, want, single(file("a", helloText), bent(line("a", helloText), key, value))}
	}
	fileWithout := func(key string) Case {
		l := line("a", helloText)
		delete(l, key)
		return Case{"manifest-file-without-" + key, key, single(file("a", helloText), l)}
	}
	const head = `{"manifest_version":1,"project_id":"proj_x","files":[]`
	return []Case{
		{"manifest-missing", "no manifest.json", zipFile{entries: []entry{file("a", helloText)}}.bytes()},
		{"manifest-in-a-folder", "no manifest.json", func() []byte {
			e := manifest().entry()
			e.both(func(h *header) { h.name = "bundle/manifest.json" })
			return zipFile{entries: []entry{e}}.bytes()
		}()},
		{"manifest-lists-a-missing-file", "listed in the manifest and missing", func() []byte {
			return zipFile{entries: []entry{manifest(line("a", helloText)).entry()}}.bytes()
		}()},
		{"manifest-lists-too-little", "not listed", func() []byte {
			return zipFile{entries: []entry{file("a", helloText), file("b", helloText), manifest(line("a", helloText)).entry()}}.bytes()
		}()},
		raw("empty", "not JSON", ""),
		raw("no-json", "not JSON", "hello"),
		raw("cut-off", "not JSON", head),
		raw("null", "must be an object", "null"),
		raw("list", "must be an object", "[]"),
		raw("byte-order-mark", "not JSON", "\ufeff"+head+"}"),
		raw("comment", "not JSON", head+"/* x */}"),
		raw("data-after", "data after", head+"}{}"),
		raw("junk-after", "not JSON", head+"}x"),
		raw("key-twice", "twice", head+`,"files":[]}`),
		raw("key-twice-by-escape", "twice", head+`,"\u0066iles":[]}`),
		raw("key-twice-inside", "twice", head+`,"architecture":{"a":"1","a":"2"}}`),
		raw("invalid-utf8", "UTF-8", head+",\"x\":\"\xff\"}"),
		raw("half-surrogate-path", "replacement character", `{"manifest_version":1,"project_id":"proj_x","files":[{"path":"a\ud800",`+
			`"destination_type":"project","merge_strategy":"overwrite","size":0,"sha256":"`+strings.Repeat("0", 64)+`"}]}`),
		without("manifest_version"), without("project_id"), without("files"),
		top("version-2", "manifest_version", "manifest_version", 2),
		top("version-text", "manifest_version", "manifest_version", "1"),
		top("project-id", "project_id", "project_id", "../x"),
		top("files-no-list", "files", "files", fields{}),
		top("architecture-no-text", "architecture", "architecture", fields{"a": fields{}}),
		fileWithout("path"), fileWithout("destination_type"), fileWithout("merge_strategy"),
		fileWithout("sha256"), fileWithout("size"),
		bend("destination-unknown", "destination_type", "destination_type", "system"),
		bend("strategy-unknown", "merge_strategy", "merge_strategy", "replace"),
		bend("strategy-case", "merge_strategy", "merge_strategy", "Overwrite"),
		bend("base-unknown", "base", "base", "root"),
		bend("mode-setuid", "mode", "mode", "4755"),
		bend("mode-number", "mode", "mode", 644),
		bend("digest-upper-case", "sha256", "sha256", strings.Repeat("A", 64)),
		bend("digest-short", "sha256", "sha256", "00"),
		bend("size-negative", "size", "size", -1),
		bend("size-fraction", "size", "size", 12.5),
		bend("size-huge", "size", "size", 1<<40),
		bend("size-text", "size", "size", "13"),
		bend("path-number", "path", "path", 7),
		bend("entry-empty", "entry", "entry", ""),
	}
}

// ruleCases break the rules of the home folder and of ports.
func ruleCases() []Case {
	home := func(name, want, path string, change fields) Case {
		l := line(path, helloText)
		maps.Copy(l, fields{"base": "home", "destination_type": "global_config", "merge_strategy": "deep_merge"})
		maps.Copy(l, change)
		return Case{"home-" + name, want, single(file(path, helloText), l)}
	}
	ports := func(name, want string, declared ...fields) Case {
		m := manifest(line(".env", envText))
		m["ports"] = declared
		return Case{"port-" + name, want, zipFile{entries: []entry{file(".env", envText), m.entry()}}.bytes()}
	}
	port := func(name string, number any, templates ...string) fields {
		uses := []fields{}
		for _, t := range templates {
			uses = append(uses, fields{"path": ".env", "template": t})
		}
		return fields{"name": name, "port": number, "uses": uses}
	}
	elsewhere := port("web", 3000, "PORT={port}")
	elsewhere["uses"] = []fields{{"path": "other", "template": "PORT={port}"}}
	return []Case{
		home("overwrite", "deep_merge", "tool.json", fields{"merge_strategy": "overwrite"}),
		home("project", "global_config", "tool.json", fields{"destination_type": "project"}),
		home("script", "path", "tool.sh", nil),
		home("shell-start-up", "path", ".bashrc", nil),
		home("ssh", "no bundle may change", ".ssh/config.json", nil),
		home("ssh-case", "no bundle may change", ".SSH/config.json", nil),
		home("aws", "no bundle may change", ".aws/cli.json", nil),
		home("docker", "no bundle may change", ".docker/config.json", nil),
		home("kube", "no bundle may change", ".kube/config.yaml", nil),
		home("own-settings", ".svc", ".svc/config.json", nil),
		home("git-settings", "no bundle may change", ".config/git/x.toml", nil),
		home("git-anything", "no bundle may change", ".gitx.json", nil),
		home("fish", "no bundle may change", ".config/fish/x.json", nil),
		home("autostart", "no bundle may change", ".config/autostart/x.json", nil),
		home("launch-agents", "no bundle may change", "Library/LaunchAgents/x.json", nil),
		home("local-bin", "no bundle may change", ".local/bin/x.json", nil),
		ports("template-not-in-file", "does not stand", port("web", 3000, "LISTEN={port}")),
		ports("number-not-in-file", "does not stand", port("web", 4000, "PORT={port}")),
		ports("twice-in-file", "2 times", port("web", 3000, "{port}")),
		ports("inside-a-longer-number", "does not stand", port("web", 3000, "ADMIN_PORT={port}")),
		ports("two-for-one-place", "same number", port("web", 3000, "PORT={port}"), port("web2", 3000, "\nCOPY={port}", "PORT={port}\n")),
		ports("file-not-listed", "not a file", elsewhere),
		ports("name-twice", "declared twice", port("web", 3000), port("web", 3001)),
		ports("no-placeholder", "template", port("web", 3000, "PORT=3000")),
		ports("two-placeholders", "exactly once", port("web", 3000, "{port}{port}")),
		ports("digit-beside-placeholder", "digit beside", port("admin", 1, "3000{port}")),
		ports("zero", "port", port("web", 0)),
		ports("too-high", "port", port("web", 65536)),
		ports("text", "port", port("web", "3000")),
		ports("no-name", "name", port("", 3000)),
	}
}
