package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// settings are what the environment asks for.
type settings struct {
	only          string // a regular expression for names
	sample        int    // minutes; 0 for all tests
	seed          string
	kills, faults string
	outage        string
	outageMinutes int
	list          bool
}

// readSettings reads the variables that the package comment lists.
func readSettings(getenv func(string) string, now time.Time) (settings, error) {
	s := settings{
		only:   getenv("ONLY"),
		seed:   cmp.Or(getenv("SEED"), strconv.FormatInt(now.Unix(), 10)),
		kills:  cmp.Or(getenv("KILLS"), "100"),
		faults: cmp.Or(getenv("FAULTS"), "1"),
		outage: cmp.Or(getenv("OUTAGE"), "10m"), outageMinutes: 15,
		list: getenv("LIST") != "",
	}
	if minutes := getenv("SAMPLE"); minutes != "" {
		var err error
		if s.sample, err = strconv.Atoi(minutes); err != nil {
			return s, fmt.Errorf("SAMPLE is a number of minutes: %w", err)
		}
		s.kills = cmp.Or(getenv("KILLS"), "20")
		s.outage, s.outageMinutes = cmp.Or(getenv("OUTAGE"), "60s"), 2
	}
	return s, nil
}

// choose returns the tests of the table that the settings ask for.
func choose(s settings) ([]test, error) {
	only, err := regexp.Compile(s.only)
	if err != nil {
		return nil, fmt.Errorf("ONLY is a regular expression: %w", err)
	}
	all := slices.DeleteFunc(table(s), func(t test) bool {
		return !only.MatchString(t.name) || s.sample > 0 && t.unrepeatable
	})
	if s.sample > 0 {
		all = sampleOf(all, s.sample, s.seed)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no long test is named %q and fits; LIST=1 lists them", s.only)
	}
	return all, nil
}

// sampleOf takes tests in the order of the seed, each that fits into the minutes
// that are left.
func sampleOf(all []test, minutes int, seed string) (taken []test) {
	slices.SortFunc(all, func(a, b test) int {
		return cmp.Compare(cksum(seed+" "+a.name+"\n"), cksum(seed+" "+b.name+"\n"))
	})
	for _, t := range all {
		if t.minutes <= minutes {
			minutes -= t.minutes
			taken = append(taken, t)
		}
	}
	return taken
}

// cksum is the checksum of POSIX cksum(1), so that a seed chooses the same tests for
// as long as they have their names.
func cksum(text string) uint32 {
	var sum uint32
	add := func(b byte) {
		sum ^= uint32(b) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	for i := range len(text) {
		add(text[i])
	}
	for n := len(text); n > 0; n >>= 8 {
		add(byte(n))
	}
	return ^sum
}
