package web

import (
	"fmt"
	"strconv"
	"time"

	"fusebox/agent"
)

// money writes micro-USD: cents from one cent up, four digits below.
func money(micros int64) string { return agent.MoneyText(micros) }

// costText writes what model calls cost. Where nobody knew a price, nothing is
// not the same as free.
func costText(micros int64, unpriced bool) string {
	if unpriced && micros == 0 {
		return noPrice
	}
	return money(micros)
}

// tokens writes a count of tokens: 950, 41.2k, 1.3M.
func tokens(n int64) string { return agent.TokensText(n) }

// seconds writes how long something took: 0.4 s, 12 s, 1:42.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	default:
		return clockTime(d)
	}
}

// clockTime writes a duration as m:ss, or h:mm:ss.
func clockTime(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// millis writes a short time: 340 ms, 1.2 s.
func millis(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return seconds(d)
}

// dollarsPerMillion writes a price per million tokens.
func dollarsPerMillion(micros int64) string {
	return "$" + dollars(micros)
}
