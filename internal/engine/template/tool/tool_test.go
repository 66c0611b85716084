package tool

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/words"
)

// readAsText writes what was read in one line: operations; what is left out; what cannot be had, or was not understood.
func readAsText(request string) string {
	t := Read(words.In(request, lexicon.All))
	var left, refused []string
	for _, each := range t.Left {
		left = append(left, each.What+" ("+each.Why+")")
	}
	for _, each := range t.Hearts {
		refused = append(refused, each.What+" ("+each.Why+")")
	}
	for _, each := range t.Unknown {
		refused = append(refused, each+"?")
	}
	is := strings.Fields(t.Language + " " + t.Title + " " + strings.Join(t.Operations, ","))
	parts := []string{strings.Join(is, " "), strings.Join(left, ", "), strings.Join(refused, ", ")}
	return strings.TrimRight(strings.Join(parts, "; "), "; ")
}

func TestRequestsForToolsAreRead(t *testing.T) {
	t.Parallel()
	const (
		dryRun = "without --yes it only shows what it would do"
		chosen = "files are chosen by their names where the tool is called"
		called = "what the tool is told where it is called"
		times  = "with --count (every occurrence counts)"
		stdout = "it goes to the standard output, which a shell can send to a file"
	)
	for request, want := range map[string]string{
		"A command line tool in Go that counts the lines, words and characters in the files I give it":                "go count",
		"count words in files with a table at the end, python cli":                                                    "python count; with a table (options of a tool)",
		"a word frequency counter in Python, top 10 by default":                                                       "python count; word frequency counter (with --top N), top 10 by default (with --top N)",
		"go cli to rename photos to IMG_0001, IMG_0002 and so on, with a dry run flag":                                "go rename; rename photos to img_0001 (with --number, --prefix and --digits N), img_0002 (with --number, --prefix and --digits N), with a dry run (" + dryRun + ")",
		"a Go CLI called hashit that prints the SHA-256 of every file and can verify against that list later":         "go hashit checksum; verify against that list (with --check)",
		"python tool that writes sha1 checksums to a list":                                                            "python checksum; sha1 checksums (with --sha1), to a list (" + stdout + ")",
		"sort lines of a file and remove dupes, python cli":                                                           "python lines; sort lines of a file (with --sort), remove dupes (with --unique)",
		"python cli that searches for a word in all .txt files, flag -i for ignore case":                              "python search; in all .txt files (" + chosen + "), -i (options have long names), for ignore case (with --ignore-case)",
		"go cli to rename files with --dry-run":                                                                       "go rename; --dry-run (there it is " + dryRun + ")",
		"go cli to rename files with --prefix":                                                                        "go rename",
		"a tool that converts between CSV and JSON both ways, Go":                                                     "go csv2json,json2csv",
		"I teach. I have 300 essays and want a Python script that counts their words":                                 "python count; i have 300 essays (background); teach?",
		"hello! my downloads folder is a mess. a python tool that finds duplicate files so i can delete them by hand": "python duplicates; my downloads folder is a mess (background), so i can delete them by hand (what it is used for)",
		"python tool that finds identical photos. I am on Windows and I have Python installed":                        "python duplicates",
		"a tool to rename files named IMG_1.jpg":                                                                      "rename; files named img_1.jpg (what the tool is told where it is called)",
		`go cli "findtext" that searches for "ERROR" in log files`:                                                    "go findtext search; what stands in quotes (what the tool is told where it is called)",
		`python tool to look for the word TODO in my source code`:                                                     "python search; TODO (what the tool is told where it is called)",
		// What is asked for of each thing of a kind is what the tool does, or is named.
		"a tool that prints the sha256 of every file":            "checksum",
		"counts words in each .txt file in every subfolder":      "count; in each .txt file (" + chosen + ")",
		"python cli that shows how often each line occurs":       "python lines; shows how often each line occurs (with --count)",
		"tool which lists the size of each subfolder":            "sizes",
		"csv to json, one object per row":                        "csv2json",
		"generate 5 passwords, 12 characters each":               "password; generate 5 passwords (with --count N), 12 characters (with --length N)",
		"tool that counts lines per folder":                      "count; per folder (options of a tool)",
		"count characters per word":                              "count; per word (options of a tool)",
		"a tool that prints each file's size":                    "sizes",
		"count the words per chapter":                            "count; per chapter (options of a tool)",
		"tool that shows the three most frequent words per file": "count; shows the three most frequent words (with --top N), per file (all files make one list)",
		"show the last 5 lines of every log file":                "lines; show the last 5 lines (with --last N), every log file (all files are taken as one)",
		"a tool that prints a checksum for each folder":          "checksum; prints a checksum for each folder (each file below has a sum of its own); each folder (only files have sums)",
		"a checksum of a whole folder":                           "checksum; checksum of a whole folder (each file below has a sum of its own)",
		"lists the 3 largest files per folder":                   "sizes; lists the 3 largest files (with --files --top N); per folder (one list is made of all folders)",
		"shows the biggest files of each folder":                 "sizes; shows the biggest files (with --files); each folder (one list is made of all folders)",
		"lists the largest file in every subfolder":              "sizes; lists the largest file (with --files); every subfolder (one list is made of all folders)",
		"tool that reverses each line":                           "lines; reverses each line (with --reverse); each line (lines are put in order, taken away or shown as they are)",
		"generate a uuid for every file in a folder":             "uuid; ; for every file in a folder?, every file?",
		"search for a word and print a count per word":           "search; count (with --count); per word?",
		"csv to json, one file per row":                          "csv2json; ; one file per row (all goes to the standard output)",
		"csv to json for each file in a folder":                  "csv2json; for each file in a folder (options of a tool)",
		"generate 10 passwords, each with a different length":    "password; generate 10 passwords (with --count N), with a different length (options of a tool)",
		"find duplicate files in each subfolder":                 "duplicates; each subfolder (the files of all folders are compared)",
		// A tool that is told folders takes no file, and chooses none by its name.
		"a cli that shows the size of a given file": "sizes; ; shows the size of a given file (the tool is told folders where it is called)",
		"rename a single file":                      "rename; ; rename a single file (the tool is told folders where it is called)",
		"a file renamer":                            "rename",
		"rename only the .jpg files to lowercase":   "rename; only the .jpg files (options of a tool), to lowercase (with --lower)",
		// Other things than those that the tool works on, and more of them.
		"sha256 of the file names":                                   "checksum; ; sha256 of the file names (a file is summed, and no text of the command line)",
		"generate a password and its hash":                           "checksum,password; ; hash?",
		"rename files, uppercase extension to lowercase":             "rename; uppercase extension to lowercase (options of a tool)",
		"searches for several words at once":                         "search; ; searches for several words (one text is searched for)",
		"counts words in several text files":                         "count",
		"replace words in files by a list":                           "replace; ; by a list (one text is replaced by one other)",
		"converts several csv files into one json":                   "csv2json; converts several csv files into one json (each file gives an array of its own, on the standard output)",
		"password generator with at least two digits and one symbol": "password; with at least two digits (options of a tool), one symbol (options of a tool)",
		"password generator with one digit and one uppercase letter": "password; with one digit (options of a tool), one uppercase letter (options of a tool)",
		"removes duplicate lines and saves them":                     "lines; removes duplicate lines (with --unique), saves (options of a tool)",
		// Figures of a column, by whatever name it has.
		"reads a csv file and prints the sum of the column called amount": "column; sum of the column (with --sum), column called amount (" + called + ")",
		"average of the price column of prices.csv":                       "column; price (" + called + "), prices.csv (" + called + "), average of the price column of prices.csv (with --average)",
		"min, max and mean of column 3 in a csv":                          "column; min (with --min), max (with --max), mean of column 3 in a csv (with --average)",
		"sums the amount column grouped by category":                      "column; amount (" + called + "), sums the amount column (with --sum), category (" + called + "), grouped by category (with --by COLUMN)",
		"sum of all columns in a csv":                                     "column; ; sum of all columns (one column is told where the tool is called)",
		"sums the amount column where status is paid":                     "column; amount (" + called + "), sums the amount column (with --sum); status is paid?",
		"adds a column total to a csv":                                    "column; total (with --sum); adds a column (only the numbers of one column of a CSV file are told), to a csv (only the numbers of one column of a CSV file are told)",
		"running total of the column amount":                              "column; amount (" + called + "), total of the column amount (with --sum); running?",
		// Sizes by extension, and files that are chosen by it.
		"total size per file extension, biggest first":                                                       "sizes; total size per file extension (with --extensions)",
		"which file extensions take up the most space":                                                       "sizes; file extensions take up the most space (with --extensions)",
		"rename all .txt files to lowercase":                                                                 "rename; rename all .txt files (all files of the folder are renamed, whatever their extension), to lowercase (with --lower)",
		"lists the biggest file per extension":                                                               "sizes; lists the biggest file (with --files), per extension (with --extensions); per extension (the sizes of an extension are added up)",
		"finds duplicate files, option to only look at .jpg":                                                 "duplicates; only look at .jpg (all files are compared, whatever their extension)",
		"rename every .JPEG file in a directory to .jpg, with a flag that only prints what would be renamed": "rename; rename every .jpeg file in a directory to .jpg (with --replace), only prints what would be renamed (" + dryRun + ")",
		"rename files by replacing spaces with underscores and making the names lower case":                  "rename; by replacing spaces with underscores (with --spaces _), making the names lower case (with --lower)",
		// Lines that hold a text are counted by searching for it, and one word is not each.
		"prints how many lines contain ERROR and how many WARN": "search; ERROR (" + called + "), prints how many lines contain error (" + times + "), WARN (" + called + "), and how many warn (" + times + ")",
		"counts how many lines in server.log match a regex":     "search; server.log (" + called + "), counts how many lines in server.log match a regex (with --count --regex (every occurrence counts))",
		"how many times a word occurs in a file":                "search; how many times a word occurs in a file (with --count)",
		"finds all TODO and FIXME comments":                     "search; TODO (" + called + "), FIXME (" + called + "), finds all todo and fixme comments (with --regex as one pattern, or once for each text)",
		"shows lines containing ERROR and WARN":                 "search; ; shows lines containing error and warn (one text is searched for)",
		// What is asked for beside the work is left out as it stands.
		"counts words, and draws a little coloured bar next to each":                  "count; draws a little coloured bar next to each (options of a tool)",
		"searches for a text and sends a Slack message if it is there. Python":        "python search; sends a slack message if it is there (options of a tool)",
		"takes a csv, outputs json, one object per row":                               "csv2json",
		"find the 3 most common words per file":                                       "count; find the 3 most common words (with --top N), per file (all files make one list)",
		"prints sha256 hashes of files, one per line":                                 "checksum",
		"counts words, mails me the result and sorts lines":                           "count,lines; mails me the result (options of a tool), sorts lines (with --sort)",
		"writes sha256 checksums to sums.txt and can verify agai" + "ns a saved list": "checksum; sums.txt (" + called + "), to sums.txt (" + stdout + "), verify agai" + "ns a saved list (with --check)",
		"converts a JSON array of objects to CSV, first line is the header":           "json2csv",
		// What a tool would have to do besides, or on something else, is refused.
		"count lines of code per language":                                        "count; per language (with --extensions, which tells languages apart by their files)",
		"python cli that shows the total of the amount column of a csv per month": "python column; amount (what the tool is told where it is called), total of the amount column of a csv (with --sum); month?",
		"go cli that counts words and files":                                      "go count; ; files (only lines, words and characters are counted)",
		"python tool to find duplicate files and delete them":                     "python duplicates; ; delete them (files are compared by what is in them, and none is changed)",
		"python cli that sorts lines by length":                                   "python lines; sorts lines by length (with --by-length)",
		"a go tool that prints the uuid of my usb drive":                          "go uuid; ; of my usb drive (only random UUIDs are made, of version 4)",
		"go cli that searches for a text in my google drive":                      "go search; ; in my google drive (a tool works on the machine where it is called)",
		"go cli that counts words, with a --json flag":                            "go count; --json (options of a tool)",
		"python cli that renames files and uploads them":                          "python rename; ; uploads them?",
		"a python tool that renames files to their md5 hash":                      "python rename; ; to their md5 hash (what is in files or known of them gives no names)",
		"go program, search for text in the names of files":                       "go search; ; search for text in the names of files (only files of plain text are searched)",
		"cli to generate a password and hash it with sha256":                      "checksum,password; ; hash it?",
		"python tool that generates passphrases and random passwords":             "python password; ; generates passphrases (only random characters are made)",
	} {
		if got := readAsText(request); got != want {
			t.Errorf("%q is read as\n%s, want\n%s", request, got, want)
		}
	}
	for _, request := range []string{"a tool that searches for files in a directory", "sorts files into folders", "cli to track trees", "counts uuids in a file", "serial number (unique)"} {
		if named := Operations(words.In(request, lexicon.All)); len(named) > 0 {
			t.Errorf("%q names %q", request, named)
		}
	}
}

// What files are like is a wish, what is told beside the work changes nothing, and a pronoun stands for what was spoken of.
func TestOrdinaryRequestsForToolsAreRead(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"csv to json. my csv uses semicolons instead of commas":                                                    "csv2json; csv uses semicolons instead of commas (with --delimiter C)",
		"csv to json. My csv has no header row":                                                                    "csv2json; no header row (options of a tool)",
		"counts words. My files are in UTF-16":                                                                     "count; in utf 16 (options of a tool)",
		"searches text in files. My files are gzipped":                                                             "search; ; gzipped (compressed files are not unpacked)",
		"sums the amount column. Our amounts have a euro sign":                                                     "column; amount (what the tool is told where it is called), sums the amount column (with --sum); amounts have a euro sign?",
		"counts only the lines":                                                                                    "count; counts only the lines (options of a tool)",
		"finds duplicate files. It should only list them, not delete anything":                                     "duplicates",
		"converts json to csv so our accountant can open it in Excel":                                              "json2csv; so our accountant can open it in excel (what it is used for)",
		"checksum of a file. The user should be able to choose between md5, sha1 and sha256":                       "checksum; md5 (with --md5), sha1 (with --sha1)",
		"I have a CSV with student names and marks, and I'd like a script which prints the average mark":           "column; i have a csv with student names and marks (background), mark (what the tool is told where it is called), prints the average mark (with --average)",
		"I have a text file with one ISBN per line and need a tool that tells me which ones appear more than once": "lines; i have a text file with one isbn per line (background), tells me which line appear more than once (with --repeated)",
		"searches for a text in files, but skips the .git folder":                                                  "search; skips the .git folder (options of a tool)",
		"renames files. It should ask before each rename":                                                          "rename; ask before each rename (without --yes it only shows what it would do)",
		"we have a price list as CSV. A tool that sorts it by price, cheapest first":                               "table; we have a price list as csv (background), price (what the tool is told where it is called), sorts csv by price (with --sort COLUMN), cheapest first (with --numeric)",
		"keep only the columns name, email and phone of a csv":                                                     "table; name (what the tool is told where it is called), keep only the columns name (with --columns NAMES), email (what the tool is told where it is called), phone (what the tool is told where it is called), email and phone (with --columns NAMES)",
		`removes the column "password" from a csv file`:                                                            "table; what stands in quotes (what the tool is told where it is called), removes the column password from a csv file (with --columns NAMES, of those that stay)",
		"sum of all prices in a csv":                                                                               "column; prices (what the tool is told where it is called), sum of all prices (with --sum)",
		"lists files changed today":                                                                                "recent; lists files changed today (with --days 1, the last 24 hours)",
		"lists the newest file in each folder":                                                                     "recent; lists the newest file in each folder (with --top N); each folder (one list is made of all folders)",
		"files not changed for more than a year":                                                                   "recent; files not changed for more than a year (with --older N, in days)",
		"compares two folders and shows which files are missing in the second":                                     "compare; shows which files are missing in the second (with --first)",
		"shows the lines that two files have in common":                                                            "compare; shows the lines that two files have in common (with --both)",
		"compares two csv files by the id column":                                                                  "compare; compares two csv files (each line is compared once, wherever it stands); by the id column (only the lines of two files are compared)",
		"splits a file into parts with 200 lines, named part1.txt, part2.txt":                                      "split; splits a file into parts with 200 lines (with --lines N), named part1.txt part2.txt (options of a tool)",
		"splits a text file into 5 parts":                                                                          "split; splits a text file (with --lines N); into 5 parts (pieces are counted by lines)",
		"prints the longest line of a file and its length":                                                         "lines; prints the longest line of a file (with --by-length --last N), length (options of a tool)",
		"counts the files in a folder by extension":                                                                "sizes; counts the files in a folder by extension (with --extensions --count)",
		"counts files larger than 1 MB in a folder":                                                                "sizes; counts files (with --count), larger than 1 mb (with --min SIZE)",
		"finds empty files": "sizes; finds empty files (with --files --empty)",
		"shows the ten most frequent ip addresses in a log":                     "extract; shows the ten most frequent ip addresses in a log (with --ips --top N)",
		"extract all email addresses from a text file, each only once":          "extract; extract all email addresses from a text file (with --emails), only once (with --unique)",
		"checks whether two text files are the same":                            "compare; ; checks whether two text files are the same (lines are compared wherever they stand)",
		"give it a csv and a column name, it prints the average of that column": "column; average of that column (with --average)",
		"validates json files against a schema":                                 "pretty; validates json files (with --check); against a schema (only JSON is printed)",
		"replaces tabs with four spaces in a file":                              `replace; replaces tabs with four spaces in a file (with \t as the old text, and the spaces as the new one)`,
		"picks three winners at random from a list of names":                    "lines; picks three winners at random (with --shuffle --first N)",
	} {
		if got := readAsText(request); got != want {
			t.Errorf("%q is read as\n%s, want\n%s", request, got, want)
		}
	}
}

// The tables say one thing of each row, in words that mean themselves.
func TestTheTablesAreSound(t *testing.T) {
	t.Parallel()
	for table, rows := range Tables() {
		if len(books()[table]) == 0 {
			continue
		}
		for row, value := range rows {
			meaning := meaningOf(row)
			if found := books()[table][meaning]; found != value {
				t.Errorf("%s: %q is %q, and %q by another row that means %q", table, row, value, found, meaning)
			}
			if n := len(strings.Fields(meaning)); n == 0 || n > longestRow {
				t.Errorf("%s: %q means %q", table, row, meaning)
			}
			if is("lone", meaning) && value != "yes" {
				t.Errorf("%s: %q alone says nothing", table, row)
			}
		}
	}
	for phrase, meaning := range Tables()["means"] {
		if meaningOf(meaning) != meaning || len(strings.Fields(phrase)) > longestSense {
			t.Errorf("%q means %q, which means %q", phrase, meaning, meaningOf(meaning))
		}
	}
	for row, operation := range Tables()["operation"] { // lines does nothing without an option
		if told := books()["lines"+optionOf][meaningOf(row)]; operation == "lines" && !strings.HasPrefix(told, "--") && !strings.HasPrefix(told, "never ") {
			t.Errorf("which option is %q?", row)
		}
		for each := range strings.FieldsSeq(operation) {
			if !lexicon.Is("does", each) {
				t.Errorf("%q is no operation", each)
			}
		}
	}
	const all = "a tool for word count, csv to json, json to csv, the sum of a csv column, grep, duplicate files, sha256, a password generator, renaming files, folder sizes, replacing a text in files, sorting lines, random uuids, merging csv files, checking json files, the lines two files have in common, extracting email addresses, listing the newest files, splitting a file into pieces and printing directory trees"
	if got := Operations(words.In(all, lexicon.All)); !slices.Equal(got, slices.Sorted(maps.Keys(lexicon.Tables["does"]))) {
		t.Errorf("all operations are read as %q", got)
	}
}
