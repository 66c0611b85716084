package main

import (
	"fmt"
	"slices"
)

// sample is one measured quantity over the rounds.
type sample []float64

func (s sample) sorted() sample {
	c := slices.Clone(s)
	slices.Sort(c)
	return c
}

func (s sample) median() float64 {
	c := s.sorted()
	n := len(c)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return c[n/2]
	default:
		return (c[n/2-1] + c[n/2]) / 2
	}
}

// spread gives the smallest and the largest value.
func (s sample) spread() (low, high float64) {
	if len(s) == 0 {
		return 0, 0
	}
	return slices.Min(s), slices.Max(s)
}

// over divides round by round: both sides of a ratio saw the same weather.
func (s sample) over(peer sample) sample {
	out := make(sample, 0, len(s))
	for i := range min(len(s), len(peer)) {
		out = append(out, s[i]/peer[i])
	}
	return out
}

// show gives median and spread with a format for one number.
func (s sample) show(format string) string {
	low, high := s.spread()
	return fmt.Sprintf(format+" ("+format+" to "+format+")", s.median(), low, high)
}
