package tools

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sampleCity is a city of the demonstration, with weather that never changes.
type sampleCity struct {
	place
	zh                          string
	temperature, humidity, wind float64
	code                        int
}

var sampleCities = []sampleCity{
	{place{"Beijing", "China", 39.9, 116.4}, "北京", 18.5, 35, 14, 0},
	{place{"Shanghai", "China", 31.2, 121.5}, "上海", 22, 68, 16, 2},
	{place{"Shenzhen", "China", 22.5, 114.1}, "深圳", 27.5, 74, 11, 80},
	{place{"Guangzhou", "China", 23.1, 113.3}, "广州", 26, 70, 12, 2},
	{place{"Hangzhou", "China", 30.3, 120.2}, "杭州", 21, 72, 9, 61},
	{place{"Chengdu", "China", 30.7, 104.1}, "成都", 19.5, 78, 6, 3},
	{place{"Hong Kong", "Hong Kong", 22.3, 114.2}, "香港", 27, 77, 18, 1},
	{place{"Nanjing", "China", 32.1, 118.8}, "南京", 20.5, 66, 10, 1},
	{place{"Wuhan", "China", 30.6, 114.3}, "武汉", 22.5, 70, 8, 3},
	{place{"Xi'an", "China", 34.3, 108.9}, "西安", 17, 48, 9, 0},
	{place{"Chongqing", "China", 29.6, 106.6}, "重庆", 21.5, 80, 5, 45},
	{place{"Tianjin", "China", 39.1, 117.2}, "天津", 18, 45, 15, 0},
	{place{"Suzhou", "China", 31.3, 120.6}, "苏州", 21, 71, 12, 2},
	{place{"Tokyo", "Japan", 35.7, 139.7}, "东京", 19, 60, 13, 1},
	{place{"Singapore", "Singapore", 1.3, 103.8}, "新加坡", 31, 82, 10, 95},
	{place{"Sydney", "Australia", -33.9, 151.2}, "悉尼", 23, 58, 20, 0},
	{place{"London", "United Kingdom", 51.5, -0.1}, "伦敦", 13, 81, 19, 61},
	{place{"Paris", "France", 48.9, 2.4}, "巴黎", 15.5, 74, 14, 61},
	{place{"Berlin", "Germany", 52.5, 13.4}, "柏林", 12, 69, 16, 3},
	{place{"Rome", "Italy", 41.9, 12.5}, "罗马", 20, 55, 9, 0},
	{place{"New York", "United States", 40.7, -74}, "纽约", 16.5, 52, 17, 2},
	{place{"San Francisco", "United States", 37.8, -122.4}, "旧金山", 17.5, 70, 22, 45},
	{place{busyStation, "Hong Kong", 22.3, 114.17}, "香港天文台", 27, 77, 18, 1},
}

// busyStation has weather, but never gets around to telling it.
const busyStation = "Hong Kong Observatory"

// A buoy is a station of a name that nobody has asked for before. It has
// measured once it was asked a number of times.
const (
	buoyPrefix = "Weather buoy "
	buoyAsked  = 9
	maxBuoys   = 1000
)

// buoys count how often each buoy was asked for its weather. A buoy's place is
// its number among them.
type buoys struct {
	mu    sync.Mutex
	names []string
	asked []int
}

// place is where a buoy swims; ok is false for other names.
func (b *buoys) place(name string) (p place, ok bool) {
	if !strings.HasPrefix(name, buoyPrefix) {
		return place{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := slices.Index(b.names, name)
	if n < 0 {
		if len(b.names) == maxBuoys {
			b.names, b.asked = nil, nil
		}
		n, b.names, b.asked = len(b.names), append(b.names, name), append(b.asked, 0)
	}
	return place{Name: name, Latitude: buoyLatitude, Longitude: float64(n)}, true
}

// buoyLatitude is that of all buoys: where no city is.
const buoyLatitude = -60

// measured reports whether the buoy at a longitude has measured by now.
func (b *buoys) measured(longitude float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := int(longitude)
	if n < 0 || n >= len(b.asked) {
		return false
	}
	b.asked[n]++
	return b.asked[n] >= buoyAsked
}

// sampleTime is when the sample data were "observed".
const sampleTime = "2026-01-01T12:00"

// SampleWeather serves the two calls of Open-Meteo that get_weather makes,
// with fixed data that say that they are samples. It is for a demonstration
// without a network. Two kinds of stations say "try again": the Hong Kong
// Observatory always, a weather buoy until it has measured.
func SampleWeather() http.Handler {
	mux := http.NewServeMux()
	swimming := &buoys{}
	mux.HandleFunc("GET /v1/search", func(w http.ResponseWriter, r *http.Request) {
		results := []place{}
		name := strings.TrimSpace(r.URL.Query().Get("name"))
		for _, c := range sampleCities {
			if strings.EqualFold(name, c.Name) || name == c.zh || name == c.zh+"市" {
				results = append(results, c.place)
			}
		}
		if p, ok := swimming.place(name); ok {
			results = append(results, p)
		}
		answer(w, map[string]any{"results": results})
	})
	mux.HandleFunc("GET /v1/forecast", func(w http.ResponseWriter, r *http.Request) {
		latitude, err1 := strconv.ParseFloat(r.URL.Query().Get("latitude"), 64)
		longitude, err2 := strconv.ParseFloat(r.URL.Query().Get("longitude"), 64)
		if latitude == buoyLatitude {
			answer(w, buoyAnswer(swimming.measured(longitude)))
			return
		}
		for _, c := range sampleCities {
			if err1 == nil && err2 == nil && c.Latitude == latitude && c.Longitude == longitude {
				answer(w, c.forecast())
				return
			}
		}
		http.Error(w, `{"error":true,"reason":"no sample data for this place"}`, http.StatusBadRequest)
	})
	return mux
}

func (c sampleCity) forecast() map[string]any {
	if c.Name == busyStation {
		return map[string]any{"sample": true, "notice": "The observatory is busy. Try again."}
	}
	return map[string]any{"sample": true, "current": map[string]any{
		"time": sampleTime, "temperature_2m": c.temperature, "relative_humidity_2m": c.humidity,
		"wind_speed_10m": c.wind, "weather_code": c.code,
	}}
}

func buoyAnswer(measured bool) map[string]any {
	if !measured {
		return map[string]any{"sample": true, "notice": "The buoy has not measured yet. Try again."}
	}
	return sampleCity{temperature: 17.5, humidity: 90, wind: 25, code: 45}.forecast()
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has gone: there is no one to tell
}
