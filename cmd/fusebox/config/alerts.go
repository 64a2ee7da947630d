package config

import (
	"math"
	"strconv"
)

// Alert says when an hour's spending raises an alert.
type Alert struct {
	SurgeFactor float64
	SurgeMin    int64
}

// maxSurgeFactor is the factor above which no one would ever be alerted.
const maxSurgeFactor = 1000

func alertKeys() []key {
	return []key{
		{"alert.surge_factor", "5", "a number from 1 to 1000, such as 5 or 2.5; 0 sends no alerts", func(c *Config, text string) bool {
			f, err := strconv.ParseFloat(text, 64)
			c.Alert.SurgeFactor = f
			return err == nil && !math.IsNaN(f) && (f == 0 || f >= 1 && f <= maxSurgeFactor)
		}},
		int64Key("alert.surge_min_micros", "1000000", 0, 1_000_000_000_000, func(c *Config) *int64 { return &c.Alert.SurgeMin }),
	}
}
