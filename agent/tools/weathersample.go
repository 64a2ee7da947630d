package tools

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
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
}

// sampleTime is when the sample data were "observed".
const sampleTime = "2026-01-01T12:00"

// SampleWeather serves the two calls of Open-Meteo that get_weather makes,
// with fixed data that say that they are samples. It is for a demonstration
// without a network.
func SampleWeather() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/search", func(w http.ResponseWriter, r *http.Request) {
		results := []place{}
		name := strings.TrimSpace(r.URL.Query().Get("name"))
		for _, c := range sampleCities {
			if strings.EqualFold(name, c.Name) || name == c.zh || name == c.zh+"市" {
				results = append(results, c.place)
			}
		}
		answer(w, map[string]any{"results": results})
	})
	mux.HandleFunc("GET /v1/forecast", func(w http.ResponseWriter, r *http.Request) {
		latitude, err1 := strconv.ParseFloat(r.URL.Query().Get("latitude"), 64)
		longitude, err2 := strconv.ParseFloat(r.URL.Query().Get("longitude"), 64)
		for _, c := range sampleCities {
			if err1 == nil && err2 == nil && c.Latitude == latitude && c.Longitude == longitude {
				answer(w, map[string]any{"sample": true, "current": map[string]any{
					"time": sampleTime, "temperature_2m": c.temperature, "relative_humidity_2m": c.humidity,
					"wind_speed_10m": c.wind, "weather_code": c.code,
				}})
				return
			}
		}
		http.Error(w, `{"error":true,"reason":"no sample data for this place"}`, http.StatusBadRequest)
	})
	return mux
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has gone: there is no one to tell
}
