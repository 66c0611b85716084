package main

import (
	"fmt"
	"strings"
	"time"
)

// barFrom is the size from which on a download has a bar: a smaller one is there before
// anybody has read it.
const barFrom = 5 << 20

// How a download is watched: how often the line is drawn, and the time over which its
// speed is taken.
const (
	drawEvery  = 100 * time.Millisecond
	speedSpan  = 5 * time.Second
	speedAfter = 500 * time.Millisecond // earlier it would only be a guess
)

// progress shows how far a download is, on a terminal.
func (a *app) progress(now func() time.Time) func(have, total int64) {
	if !a.term.errTTY || a.quiet {
		return nil
	}
	var m meter
	return func(have, total int64) {
		at := now()
		if m.add(have, at); at.Sub(m.drawn) < drawEvery && have != total {
			return
		}
		m.drawn = at
		if total > barFrom || total < 0 && have > barFrom {
			a.term.status("%s", m.bar(have, total))
		}
	}
}

// meter measures a download.
type meter struct {
	drawn  time.Time
	points []point // of the last speedSpan, at most one for each drawEvery
}

type point struct {
	at   time.Time
	have int64
}

func (m *meter) add(have int64, at time.Time) {
	if n := len(m.points); n > 0 && have < m.points[n-1].have {
		m.points = nil // it began anew
	}
	if n := len(m.points); n > 0 && at.Sub(m.points[n-1].at) < drawEvery {
		return
	}
	m.points = append(m.points, point{at, have})
	for len(m.points) > 2 && at.Sub(m.points[1].at) > speedSpan {
		m.points = m.points[1:]
	}
}

// speed is in bytes a second; 0 as long as it is not known.
func (m *meter) speed() float64 {
	if len(m.points) < 2 {
		return 0
	}
	first, last := m.points[0], m.points[len(m.points)-1]
	took := last.at.Sub(first.at)
	if took < speedAfter {
		return 0
	}
	return float64(last.have-first.have) / took.Seconds()
}

// bar is the line that shows a download.
func (m *meter) bar(have, total int64) string {
	const cells = 20
	line := "Downloading " + size(have)
	if total >= 0 {
		filled := int(have * cells / max(total, 1))
		line = fmt.Sprintf("Downloading [%s%s] %3d%% of %s", strings.Repeat("#", filled), strings.Repeat(".", cells-filled), have*100/max(total, 1), size(total))
	}
	speed := m.speed()
	if speed < 1 {
		return line
	}
	line += fmt.Sprintf(", %s/s", size(int64(speed)))
	if left := time.Duration(float64(total-have) / speed * float64(time.Second)).Round(time.Second); total >= 0 && have < total {
		line += fmt.Sprintf(", %s left", max(left, time.Second))
	}
	return line
}
