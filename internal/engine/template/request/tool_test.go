package request

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/words"
)

func TestToolsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a command line tool in Go that counts the lines and words of a text file":               "count",
		"cli in go that counts lines of code in a folder, per file extension":                    "count; per file extension (with --extensions)",
		"tool that shows the 20 most common words in a text file":                                "count; the 20 most common words (with --top N)",
		"tool that counts lines, without blank lines":                                            "count; without blank lines (--blank tells how many of the lines are blank)",
		"write a tool that searches all .txt files under a folder for a word":                    "search; .txt files (files are chosen by their names where the tool is called)",
		"Tool that searches all text files for a word and tells me how often it is there":        "search; tells me how often it is there (with --count)",
		"find text in files (like grep), option to ignore case":                                  "search; ignore case (with --ignore-case)",
		"something that finds duplicate files in a folder so i can delete them":                  "duplicates; so i can delete them (background)",
		"find duplicate photos, python. Just list them, don't delete anything":                   "duplicates; photos (all files of the folder are taken, whatever their kind)",
		"computes md5 checksums for all files in a folder":                                       "checksum; md5 checksums (with --md5)",
		"Convert CSV to JSON on the command line":                                                "csv2json",
		"our orders come as csv and i need them as json, is there a little tool for that":        "csv2json",
		"a tool that converts csv to json and back":                                              "csv2json,json2csv",
		"python script to convert json lines to csv":                                             "json2csv",
		`adds up the column "amount" in all csv files of a folder and prints the total per file`: `column; adds up the column amount in all csv files of a folder (with --sum); prints the total per file (with --files)`,
		"generate random passwords without symbols":                                              "password; without symbols (with --no-symbols where there shall be none)",
		"I have hundreds of photos. A tool that renames them all to put the date in front":       "rename; I have hundreds of photos (background); put the date in front (with --date --keep (the day of the last change))",
		"rename all files in a dir to lowercase with dashes":                                     "rename; lowercase (with --lower); dashes (with --spaces -)",
		"bulk rename *.jpeg to *.jpg under a given path, with a dry run flag":                    "rename; *.jpeg to *.jpg (with --replace OLD NEW, anywhere in the names); with a dry run flag (without --yes it only shows what it would do)",
		"tool that shows the ten biggest files in a folder":                                      "sizes; the ten biggest files (with --files --top N)",
		"cli that counts how many files are in each subfolder":                                   "sizes; files are in each subfolder (with --count)",
		"a program that deletes empty folders":                                                   "sizes; empty folders (with --empty --remove (and only shows them without --yes))",
		"replaces a word in all text files of a folder":                                          "replace",
		"tool that sorts the lines of a text file and removes duplicates":                        "lines; sorts the lines of a text file (with --sort); duplicates (with --unique)",
		"prints 5 random uuids":                 "uuid",
		"prints the folder structure as a tree": "tree",
		"need a cli that merges several csv files into one, same columns in all of them":                "table",
		"tool that checks if JSON files are valid":                                                      "pretty; checks if JSON files are valid (with --check)",
		"compares two text files and shows the differences":                                             "compare",
		"extract all links from a text file":                                                            "extract; links (with --urls)",
		"counts ERROR, WARN and INFO lines in .log files":                                               "extract; counts ERROR WARN and INFO lines in .log files (with --regex of the texts with | between, and --count (every occurrence counts)); .log files (files are chosen by their names where the tool is called)",
		"tool in Go to find files older than 5 years":                                                   "recent; older than 5 years (with --older N, in days)",
		"lists files that are not older than 3 days":                                                    "recent; 3 days (with --days N)",
		"splits a log file into files of 10000 lines":                                                   "split; into files of 10000 lines (with --lines N)",
		"tool that counts words, go or python, i don't care":                                            "count",
		"Small Python program: count lines, and a tool that finds duplicate files, with a progress bar": "count,duplicates; a progress bar (no option of this tool)",
	} {
		r := Read(text, lexicon.All)
		got := []string{strings.Join(r.Operations, ",")}
		for _, o := range r.Left {
			got = append(got, o.What+" ("+o.Why+")")
		}
		if all := strings.Join(got, "; "); all != want || r.Kind != project.Command || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%s\n got %s\nwant %s (%v %v)", text, all, want, r.Unknown, r.Hearts)
		}
	}
}

// Tools that keep records: what is done with them is had, by another name, or left out by name.
func TestToolsKeepRecords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"todo cli in go: add, list, done, remove":                                         "todo(); done (with set, the number of the record and --done true)",
		"cli for my snippets, add/list/search/delete":                                     "snippet(); search (list prints all records, and grep finds some of them)",
		"movie watchlist CLI with add, list, watched and remove":                          "movie(title string, watched boolean); watched (with set, the number of the record and --watched true)",
		"simple petty cash list in the terminal: date, amount, what for. add and show":    "petty_cash(date date, amount number, what_for string)",
		"Command line tool for tracking which key is with whom":                           "key(name string, person string)",
		"terminal program for an allotment: crop, bed, planted on":                        "entry(crop string, bed string, planted_on date); for an allotment (background); a kind for bed (text) (none was told)",
		"command line car logbook: date, km, driver":                                      "car_entry(date date, km number, driver string)",
		"a cli for my todo list, add a task with title and due date, mark a task as done": "todo(title string, due_date date, done boolean); mark a task as done (with set, the number of the record and --done true)",
	} {
		r := Read(text, lexicon.All)
		var got []string
		for _, each := range r.Things {
			got = append(got, each.Name+"("+fieldsOf(each)+")")
		}
		for _, o := range r.Left {
			got = append(got, o.What+" ("+o.Why+")")
		}
		if all := strings.Join(got, "; "); all != want || r.Kind != project.Command || len(r.Unknown)+len(r.Hearts) > 0 {
			t.Errorf("%s\n got %s\nwant %s (%v %v)", text, all, want, r.Unknown, r.Hearts)
		}
	}
}

// What a tool cannot do, and what is said not to be done, is never passed over.
func TestToolsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"tool that resizes all images in a folder",
		"CLI that counts words in PDF files",
		"I have a folder full of PDFs. A tool that counts the words in each of them",
		"tool that deletes duplicate files",
		"find duplicate files by size",
		"find duplicate files and keep only the newest",
		"tool that lists files older than 30 days and deletes them",
		"renames photos by the date they were taken",
		"rename all files in a folder except the jpgs to lowercase",
		"searches files but skips hidden folders",
		"counts lines except comments",
		"counts words and emails me the result",
		"counts words longer than 5 letters",
		"show me the biggest files but don't include videos",
		"sorts the files in my downloads folder into subfolders by file type",
		"tool that converts csv to yaml",
		"tool that converts csv to json without the id column",
		"convert csv to json with numbers as numbers",
		"I have xml files, a tool that converts them to json",
		"searches for a text in my google drive",
		"looks through a folder for files with a certain word in the name",
		"lists files that have not been opened for a year",
		"a tool that does not count blank lines",
		"generates a password and its hash",
		"splits a text file into 5 equal parts",
		"compares two folders by size",
		"website that converts csv to json",
		"an API that counts words",
		"program that encrypts a file",
		"search our excel files for a name",
		"My notes have many typos. Write a program that finds them.",
		"count lines per author in a git repo",
		"todo list in the terminal, each user has their own list",
	} {
		if r := Read(text, lexicon.All); len(r.Unknown)+len(r.Hearts) == 0 {
			t.Errorf("%s\n gave %v, without %v", text, r.Operations, r.Left)
		}
	}
}

func TestTheNearestToolIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"count words of each page": "count", "rename photos by place": "rename", "hello": ""} {
		if got := nearestTool(words.In(text, lexicon.All)); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// Two parts of the rules that gave one name to two rules would read what neither means.
func TestRulesOfToolsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	theirs := map[string]bool{}
	for line := range strings.Lines(texts("common", "records", "page")) {
		name, _, _ := strings.Cut(line, " = ")
		theirs[strings.TrimSpace(name)] = true
	}
	for line := range strings.Lines(texts("tool")) {
		if name, _, rule := strings.Cut(line, " = "); rule && line[0] != '#' && theirs[strings.TrimSpace(name)] {
			t.Error(name)
		}
	}
}
