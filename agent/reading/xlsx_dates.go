package reading

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// maxDate is the day after the last that Excel knows, counted from 1900.
const maxDate = 2958466

// date is a number of days as the format shows it: a date, a time, both, or a duration.
func (s *formatSection) date(days float64, from1904 bool) string {
	seconds := int64(math.Round(days * 24 * 60 * 60))
	if s.elapsed != 0 {
		return s.duration(seconds)
	}
	// Excel's 1900 has a 29 February, which is day 60.
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case seconds < 60*24*60*60:
		first = first.AddDate(0, 0, 1)
	}
	t := first.AddDate(0, 0, int(seconds/86400)).Add(time.Duration(seconds%86400) * time.Second)
	var layout []string
	switch has := s.has; {
	case has('d') || has('M') && !has('y'):
		layout = append(layout, time.DateOnly)
	case has('M'):
		layout = append(layout, "2006-01")
	case has('y'):
		layout = append(layout, "2006")
	}
	switch {
	case s.has('s'):
		layout = append(layout, time.TimeOnly)
	case s.has('h') || s.has('m'):
		layout = append(layout, "15:04")
	}
	return t.Format(strings.Join(layout, " "))
}

// has reports whether a date format shows a unit; M is the month, and m the minute.
func (s *formatSection) has(unit byte) bool {
	for i, letter := range []byte(s.letters) {
		afterHours := i > 0 && s.letters[i-1] == 'h'
		beforeSeconds := i+1 < len(s.letters) && s.letters[i+1] == 's'
		if letter == 'm' && !afterHours && !beforeSeconds {
			letter = 'M'
		}
		if letter == unit {
			return true
		}
	}
	return false
}

// duration shows hours, minutes, or seconds that go on counting.
func (s *formatSection) duration(seconds int64) string {
	switch s.elapsed {
	case 'h':
		if s.has('s') {
			return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		}
		return fmt.Sprintf("%d:%02d", seconds/3600, seconds/60%60)
	case 'm':
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprint(seconds)
}
