package tool

import "testing"

// Of which kind files are is named and not known, options are named as they are written, and what things are like beside
// the work changes nothing.
func TestKindsOptionsAndAsidesAreNamed(t *testing.T) {
	t.Parallel()
	const (
		dryRun = "without --yes it only shows what it would do"
		chosen = "files are chosen by their names where the tool is called"
		called = "what the tool is told where it is called"
		none   = "options of a tool"
		day    = "with --date (of the last change, with a number for each day)"
		number = "with --number, --prefix and --digits N"
	)
	for request, want := range map[string]string{
		// Kinds of files and folders.
		"searches for a text in recipe files":                                               "search; recipe files (" + chosen + ")",
		"finds duplicate files in my sheet music folder, go":                                "go duplicates; sheet music folder (" + called + ")",
		"searches all .log files below a directory for a word":                              "search; .log files (" + chosen + ")",
		"counts the lines in all .log files of a directory, including subfolders":           "count; .log files (" + chosen + ")",
		"lists the 20 biggest .mp4 files":                                                   "sizes; lists the 20 biggest .mp4 files (with --files for all, whatever their extension)",
		"prints the 50 biggest videos in a folder":                                          "sizes; videos (all files of the folder are taken, whatever their kind), prints the 50 biggest videos (with --files --top N)",
		"searches for a text in corrupted files":                                            "search; ; corrupted?",
		"reads a csv with bank transactions and prints the sum of a column":                 "column; with bank transactions (background), sum of a column (with --sum)",
		"reads a csv with quoted fields and prints the sum of a column":                     "column; sum of a column (with --sum); quoted fields?",
		"searches my photos for faces":                                                      "search; ; faces?",
		"searches word documents for a phrase":                                              "search; ; searches word documents for a phrase (only files of plain text are searched)",
		"a cli that downloads files, then prints their checksum":                            "checksum; ; downloads?",
		"converts a json file with measurements to csv":                                     "json2csv; with measurements (background)",
		"sorts a csv of members by surname":                                                 "table; of members (background), surname (" + called + "), sorts a csv of members by surname (with --sort COLUMN)",
		"sums the amount per category from a csv of bank transactions":                      "column; amount (" + called + "), sums the amount per category (with --sum --by COLUMN), of bank transactions (background)",
		"shows the average price per shop of a csv":                                         "column; price (" + called + "), shows the average price per shop (with --average --by COLUMN)",
		"renames lecture recordings to lowercase":                                           "rename; lecture recordings (all files of the folder are taken, whatever their kind), to lowercase (with --lower)",
		"counts lines, ignoring vendor and node_modules, grouped by extension":              "count; ignoring vendor and node_modules (" + none + "), grouped by extension (with --extensions)",
		"searches a folder full of recipe files for an ingredient":                          "search; recipe files (" + chosen + "), ingredient (" + called + ")",
		"searches my photos for a face":                                                     "search; ; face?",
		"prints the uuid of my external drive":                                              "uuid; ; of my external drive (only random UUIDs are made, of version 4)",
		"counts lines of all .go and .ts files":                                             "count; of all .go and .ts files (" + chosen + ")",
		"reads a csv file with orders and prints the sum of \"total\" for each \"country\"": "column; with orders (background), what stands in quotes (" + called + "), prints the sum of total for each country (with --sum --by COLUMN)",
		"csv -> json": "csv2json",
		"converts a tab separated file into json":                                                          "csv2json; converts a tab separated file into json (with --delimiter C)",
		"we have a folder with thousands of PDFs and I need a tool that lists files older than 3 years":    "recent; we have a folder with thousands of pdfs (background), lists files older than 3 years (with --older N, in days)",
		"we have a folder with thousands of PDFs and I need a tool that searches for a word":               "search; ; pdfs (only files of plain text are searched)",
		"I keep my shifts in a csv (date, ward, hours). A tool which sums the hours column per ward":       "column; i keep my shifts in a csv date ward hours (background), hours (" + called + "), sums the hours column per ward (with --sum --by COLUMN)",
		"lists duplicate songs in my itunes folder":                                                        "duplicates; in my itunes folder (background)",
		"counts the lines of all python files, go":                                                         "go count; of all python files (" + chosen + ")",
		"adds up the amount column of a csv by customer":                                                   "column; amount (" + called + "), adds up the amount column (with --sum), by customer (with --by COLUMN)",
		"word frequencies of a text":                                                                       "count; word frequencies (with --top N)",
		"scans a folder for duplicates":                                                                    "duplicates",
		"searches text files for keywords from a list":                                                     "search; ; searches text files for keywords from a list (one text is searched for)",
		"prints the word count of each file":                                                               "count",
		"my boss wants a tool to count words":                                                              "count; my boss wants (background)",
		"For the archive of our club: renames documents to YYYY-MM-DD_nnn.pdf":                             "rename; for the archive of our club (background), to yyyy-mm-dd_nnn.pdf (" + day + ")",
		"sums a column of a CSV. Usage: sumcol file.csv amount":                                            "column; sums a column (with --sum), sumcol file.csv amount (" + called + ")",
		"takes a CSV of temperatures (date, station, temp) and prints the mean per station":                "column; of temperatures date station temp (background), prints the mean per station (with --average --by COLUMN)",
		"prints lines which occur in a.txt but not in b.txt":                                               "compare; a.txt (" + called + "), b.txt (" + called + "), prints lines which occur in a.txt but not in b.txt (with --first)",
		"sums the hours column in a csv timesheet":                                                         "column; hours (" + called + "), sums the hours column (with --sum), timesheet (background)",
		"prints all lines containing a given word from every txt file, with the name of the file in front": "search; from every txt file (" + chosen + ")",
		"checks which files in a folder are not in another folder":                                         "compare; checks which files in a folder are not in another folder (with --first)",
		"counts the lines in all files ending with .py":                                                    "count; .py (" + chosen + ")",
		// Options as they are written.
		"finds duplicate files. Flags: --min-size, --json":              "duplicates; --min-size (there it is --min SIZE), --json (" + none + ")",
		"prints the most frequent words, with --top N and --min-length": "count; prints the most frequent words (with --top N)",
		"prints the most frequent words, -n number":                     "count; prints the most frequent words (with --top N), -n number (options have long names)",
		"counts words, multiplies the total with a rate (--rate 0.12)":  "count; multiplies the total with a rate (" + none + "), --rate 0.12 (" + none + ")",
		"csv to json, flag for pretty print":                            "csv2json; pretty print (it is so without an option)",
		"csv to json, pretty printed":                                   "csv2json",
		"searches for a text in files with --help":                      "search",
		// What is told beside the work.
		"lists the biggest files. my server disk is always full":                            "sizes; lists the biggest files (with --files), my server disk is always full (background)",
		"lists the biggest files, our drive is full (samples everywhere)":                   "sizes; lists the biggest files (with --files), our drive is full samples everywhere (background)",
		"sorts lines. We always remove blank lines":                                         "lines; sorts lines (with --sort), remove blank lines (with --no-blank); always?",
		"lists the biggest files. go or python, i dont mind":                                "go sizes; lists the biggest files (with --files), i dont mind (background)",
		"lists the 20 largest files, human readble sizes":                                   "sizes; lists the 20 largest files (with --files --top N)",
		"wordfreq: prints the most frequent words of a file":                                "wordfreq count; prints the most frequent words (with --top N)",
		"I have hundreds of transcripts. I want to search all of them for a word or phrase": "search; i have hundreds of transcripts (background)",
		"I run a museum and get lists as CSV with semicolons. I need them as JSON":          "csv2json; i run a museum (background), csv with semicolons (with --delimiter C)",
		"My drive has tons of duplicate pictures. A program that finds them":                "duplicates; my drive has tons of duplicate pictures (background)",
		"lists the biggest files. Disk on the office server is full again":                  "sizes; lists the biggest files (with --files), disk on the office server is full again (background)",
		"searches for a word in my browser history":                                         "search; ; in my browser history (only files of plain text are searched)",
		// Names by date and number.
		"renames photos to the date they were last modified plus a running number, like 2023-07-14_001.jpg": "rename; to the date they were last modified plus a running number (" + day + "), like 2023-07-14_001.jpg (" + day + ")",
		"renames files to archive-0001.tif and so on":                                                       "rename; renames files to archive-0001.tif (" + number + ")",
		"renames exhibits to exhibit-001.jpg, exhibit-002.jpg in order of date":                             "rename; renames exhibits to exhibit-001.jpg (" + number + "), exhibit-002.jpg (" + number + "), in order of date (with --by-date)",
		"renames photos by date taken or the file date":                                                     "rename; by date taken or the file date (with --date (of the last change: what is inside of files is not read))",
		"renames files by the date in their name":                                                           "rename; ; by the date in their name (what is in files or known of them gives no names)",
		`renames "track 1.mp3" to "01 track.mp3"`:                                                           "rename; what stands in quotes (" + called + "); track 1.mp3?, 01 track.mp3?",
		`renames "IMG_0001.jpg" to "holiday-001.jpg"`:                                                       "rename; img_0001.jpg to holiday-001.jpg (" + number + ")",
		"renames scans to tax-2023-001.pdf":                                                                 "rename; to tax-2023-001.pdf (" + number + ")",
		"lists files modified more than 5 years ago":                                                        "recent; lists files modified more than 5 years ago (with --older N, in days)",
		"renames photos by date taken":                                                                      "rename; ; by date taken (what is in files or known of them gives no names)",
		"adds today's date in front of all file names":                                                      "rename; adds today date in front of all file names (with --prefix)",
		"renames files, show me what would be renamed first":                                                "rename; show me what would be renamed first (" + dryRun + ")",
		"renames files, adds the modification date in front of the name":                                    "rename; ; adds the modification date (the day and a number stand in place of the name)",
		"renames files to the date they were last modified plus the old name":                               "rename; ; to the date they were last modified plus the old name (the day and a number stand in place of the name)",
		"renames files: running number plus old name":                                                       "rename; ; number plus old name (the number stands in place of the name)",
		"renames files with the date as prefix":                                                             "rename; ; with the date as prefix (the day and a number stand in place of the name)",
		"the 10 largest files of each type":                                                                 "sizes; 10 largest files (with --files --top N), of each type (with --extensions); each type (the sizes of an extension are added up)",
		// What tools can do since then.
		"counts lines and bytes per file extension":                                     "count; bytes (with --bytes), per file extension (with --extensions)",
		"sums the column \"amount\" and shows the total per file and a grand total":     "column; what stands in quotes (" + called + "), sums the column amount (with --sum), total (with --sum), grand total (with --sum), per file (with --files)",
		"lists the 10 most frequent error lines of a log":                               "lines; lists the 10 most frequent error lines (with --top N --containing TEXT)",
		"lists all files which are older than X days and larger than Y MB":              "recent; lists all files which are older than x days (with --older N), and larger than y mb (with --min SIZE)",
		"finds files larger than 100 MB and older than 30 days":                         "sizes; finds files larger than 100 mb (with --files --min SIZE), older than 30 days (with --older N)",
		"finds duplicate files (same content, not same name), biggest first, with size": "duplicates; with size (with --sizes)",
		"finds duplicate files by comparing md5":                                        "duplicates",
		"counts how many lines in each file of a folder contain the word \"overdue\"":   "search; what stands in quotes (" + called + "), counts how many lines in each file of a folder contain the word overdue (with --count (every occurrence counts))",
	} {
		if got := readAsText(request); got != want {
			t.Errorf("%q is read as\n%s, want\n%s", request, got, want)
		}
	}
}

// With which code a tool ends, options however they are written, several extensions, and who asks.
func TestCodesOptionsAndListsAreRead(t *testing.T) {
	t.Parallel()
	const (
		chosen = "files are chosen by their names where the tool is called"
		none   = "options of a tool"
		called = "what the tool is told where it is called"
		failed = "it ends with 1 only where something went wrong"
		tabs   = "with \\t as the old text, and the spaces as the new one"
	)
	for request, want := range map[string]string{
		"searches for a text. Exit code 1 if nothing found so that I can use it in CI":          "search; exit code 1 if nothing found (" + failed + "), so that i can use it in ci (what it is used for)",
		"searches for a text, exit code 1 if a file can't be read":                              "search",
		"searches for a text and exits with 2 on error":                                         "search; exits with 2 on error (" + failed + ")",
		"searches for a text, exit code 0 on success, 1 on error":                               "search",
		"searches for a text, exit 1 if an error line is found and print the number of matches": "search; exit 1 if an error line is found (" + failed + "), print the number of matches (with --count)",
		// Options.
		"finds duplicate files. Flags: -min-size, -ext, -json. Exit 1 if dupes found": "duplicates; -min-size (there it is --min SIZE), -ext (" + none + "), -json (" + none + "), exit 1 if dupes found (" + failed + ")",
		"a tool -counts words":               "count",
		"csv to json, stdin/stdout or -i/-o": "csv2json; -i (options have long names), -o (options have long names)",
		"prints only the given columns of a csv, --cols a,b,c; --skip-empty drops rows where all are blank": "table; prints only the given columns of a csv (with --columns NAMES), --cols a b c (there it is --columns NAMES), --skip-empty drops rows where all are blank (" + none + ")",
		"csv to json. Options: delimiter, pretty print":                                                     "csv2json; delimiter (with --delimiter C), pretty print (it is so without an option)",
		"converts csv -> json and json -> csv, delimiter option":                                            "csv2json,json2csv; delimiter (with --delimiter C, of csv2json only)",
		"lists the 20 largest files. I'd like a flag to change the 20 and another one to skip hidden files": "sizes; lists the 20 largest files (with --files --top N), change the 20 (with --top N), skip hidden files (" + none + ")",
		"lists the biggest files. python or go, dont care":                                                  "python sizes; lists the biggest files (with --files)",
		// Files of several extensions, and of logs.
		"searches all .txt and .log files below a directory for a word. Case should not matter unless I say so": "search; .txt and .log files (" + chosen + "), case should not matter unless i say so (with --ignore-case)",
		"counts lines of all .go, .ts and .py files":                                                            "count; of all .go .ts and .py files (" + chosen + ")",
		"something like grep but for our server logs":                                                           "search",
		"sha256 every regular file, print groups of identical files":                                            "duplicates; sha256 every regular file (files are compared by their SHA-256, which is not printed)",
		"searches all *.txt and *.docx files for a word":                                                        "search; txt and docx files (" + chosen + "); .docx (only files of plain text are read)",
		"searches all .txt and .pdf files for a word":                                                           "search; .txt and .pdf files (" + chosen + "); .pdf (only files of plain text are read)",
		"searches all .txt files for a word, skipping .zip files":                                               "search; .txt files (" + chosen + "), skipping .zip (" + none + ")",
		"lists the biggest .pdf files":                                                                          "sizes; lists the biggest .pdf files (with --files for all, whatever their extension)",
		"converts json to csv and csv to json with delimiter option":                                            "csv2json,json2csv; delimiter (with --delimiter C, of csv2json only)",
		// Lines that are blank, and tabs.
		"counts the lines, words and blank lines of every .tex file":                                "count; blank lines (with --blank), of every .tex file (" + chosen + ")",
		"counts lines without blank lines":                                                          "count; without blank lines (" + none + ")",
		"turns tabs into 4 spaces in all files with a given extension, with a dry run":              "replace; turns tabs into 4 spaces in all files (" + tabs + "), with a given extension (" + chosen + "), with a dry run (without --yes it only shows what it would do)",
		"replaces tabs with spaces in source files, --width (default 4), --in-place":                "replace; replaces tabs with spaces in source files (" + tabs + "), --width (" + tabs + "), default 4 (" + called + "), --in-place (there it is --yes)",
		"reads stdin and replaces tabs with spaces, --in-place":                                     "lines; replaces tabs with spaces (with --tabs N), --in-place (no file is changed, and all goes to the standard output)",
		"converts tabs to spaces in a file, and prints the result":                                  "replace; converts tabs to spaces in a file (" + tabs + "), prints the result (only lines that change are shown)",
		"check which files exist in one directory but not in another":                               "compare; check which files exist in one directory but not in another (with --first)",
		"shows the 20 newest files in a folder, flag to change the number":                          "recent; shows the 20 newest files in a folder (with --top N), change the number (with --top N)",
		"prints the mean of a column. Columns are separated by semicolons and decimals use a comma": "column; mean of a column (with --average), columns are separated by semicolons (with --delimiter C); decimals use a comma (numbers have a point before their decimals)",
		"splits a file every 500 lines, pieces named chapter_001.txt":                               "split; splits a file every 500 lines (with --lines N), pieces named chapter_001.txt (" + none + ")",
		// Who asks.
		"i teach 8th grade and my pupils write essays in txt files. id like a program that counts their words":                                                                                     "count; i teach 8th grade and my pupils write essays in txt files (background)",
		"I have a big CSV from the water utility with a column called consumption_m3 and I need the total of it per district":                                                                      "column; i have a big csv from the water utility with a column called consumption_m3 (background), total of it per district (with --sum --by COLUMN)",
		"Every month I get a bank export (semicolon separated) and I'd like to sum up the Amount column per category. Something like `sumcat export.csv` and it prints one line for each category": "sumcat column; every month i get a bank export (background), semicolon (with --delimiter C), Amount (" + called + "), sum up the amount column per category (with --sum --by COLUMN), sumcat export.csv (" + called + "), prints one line for each category (with --by COLUMN)",
	} {
		if got := readAsText(request); got != want {
			t.Errorf("%q is read as\n%s, want\n%s", request, got, want)
		}
	}
}
