package tools

import (
	"context"
	_ "embed" // the description is a file
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"fusebox/agent"
)

//go:embed get_weather.md
var weatherText string

// maxWeatherBody bounds what is read of an answer.
const maxWeatherBody = 256 << 10

// weather asks Open-Meteo: first where the city is, then what the weather is there.
type weather struct {
	client              *http.Client
	forecast, geocoding string
}

type weatherReport struct {
	City        string  `json:"city"`
	Country     string  `json:"country"`
	Temperature float64 `json:"temperatureC"`
	Humidity    float64 `json:"humidity"`
	Wind        float64 `json:"windKmh"`
	Condition   string  `json:"condition"`
	ObservedAt  string  `json:"observedAt"`
	// Sample marks fixed data that no station has measured.
	Sample bool `json:"sample,omitempty"`
}

// weatherNotice is the result where the service has something to say instead.
type weatherNotice struct {
	City   string `json:"city"`
	Notice string `json:"notice"`
	Sample bool   `json:"sample,omitempty"`
}

func (weather) Spec() agent.ToolSpec {
	s := builtin("get_weather", weatherText, `{
		"type": "object", "additionalProperties": false, "required": ["city"],
		"properties": {"city": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The name of a city, for example Guangzhou"}}
	}`)
	s.Set, s.Effect, s.Risk, s.Idempotent, s.FixedHost = agent.WebTools, agent.EffectNetwork, agent.RiskLow, true, true
	s.Volatile = []string{"observedAt"}
	return s
}

// place is one answer of the geocoding service.
type place struct {
	Name      string  `json:"name"`
	Country   string  `json:"country"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

func (t weather) Run(ctx context.Context, in agent.ToolInput) agent.ToolResult {
	var args struct{ City string }
	if err := decode(in, &args); err != nil {
		return failed(agent.ErrInvalidParams, "%v", err)
	}
	var found struct {
		Results []place `json:"results"`
	}
	q := url.Values{"name": {args.City}, "count": {"1"}, "language": {"en"}, "format": {"json"}}
	if err := t.get(ctx, t.geocoding+"/v1/search?"+q.Encode(), &found); err != nil {
		return t.failure(ctx, err)
	}
	if len(found.Results) == 0 {
		return failed(agent.ErrExecution, "No city named %q was found. Check the name, or name a larger city near it.", args.City)
	}
	return t.report(ctx, found.Results[0])
}

func (t weather) report(ctx context.Context, p place) agent.ToolResult {
	var now struct {
		Current struct {
			Time        string   `json:"time"`
			Temperature *float64 `json:"temperature_2m"`
			Humidity    float64  `json:"relative_humidity_2m"`
			Wind        float64  `json:"wind_speed_10m"`
			Code        int      `json:"weather_code"`
		} `json:"current"`
		Notice string `json:"notice"`
		Sample bool   `json:"sample"`
	}
	q := url.Values{
		"latitude": {fmt.Sprint(p.Latitude)}, "longitude": {fmt.Sprint(p.Longitude)},
		"current": {"temperature_2m,relative_humidity_2m,wind_speed_10m,weather_code"},
	}
	if err := t.get(ctx, t.forecast+"/v1/forecast?"+q.Encode(), &now); err != nil {
		return t.failure(ctx, err)
	}
	switch {
	case now.Notice != "":
		return encode(weatherNotice{City: p.Name, Notice: now.Notice, Sample: now.Sample})
	case now.Current.Temperature == nil:
		return failed(agent.ErrNetwork, "The weather service has no current weather for %s. Try again later.", p.Name)
	}
	return encode(weatherReport{
		City: p.Name, Country: p.Country, Temperature: *now.Current.Temperature, Humidity: now.Current.Humidity,
		Wind: now.Current.Wind, Condition: conditionOf(now.Current.Code), ObservedAt: now.Current.Time, Sample: now.Sample,
	})
}

// serviceError is an answer of the weather service without weather.
type serviceError struct{ status int }

func (e serviceError) Error() string { return fmt.Sprintf("the weather service answered %d", e.status) }

func (t weather) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return serviceError{res.StatusCode}
	}
	return json.NewDecoder(io.LimitReader(res.Body, maxWeatherBody)).Decode(into)
}

// failure words an error without the address, which may be an internal one.
func (t weather) failure(ctx context.Context, err error) agent.ToolResult {
	var service serviceError
	switch {
	case ctx.Err() != nil:
		return agent.ToolResult{ErrorType: agent.ErrCancelled}
	case errors.As(err, &service):
		return failed(agent.ErrNetwork, "%v. Try again later.", service)
	default:
		return failed(agent.ErrNetwork, "The weather service could not be reached. Try again later.")
	}
}

// conditionOf words a WMO weather interpretation code (table 4677, as Open-Meteo uses it).
func conditionOf(code int) string {
	switch {
	case code == 0:
		return "Clear sky"
	case code == 1:
		return "Mainly clear"
	case code == 2:
		return "Partly cloudy"
	case code == 3:
		return "Overcast"
	case code == 45 || code == 48:
		return "Fog"
	case code >= 51 && code <= 57:
		return "Drizzle"
	case code == 61:
		return "Light rain"
	case code == 65:
		return "Heavy rain"
	case code >= 63 && code <= 67:
		return "Rain"
	case code >= 71 && code <= 77, code == 85, code == 86:
		return "Snow"
	case code >= 80 && code <= 82:
		return "Rain showers"
	case code >= 95 && code <= 99:
		return "Thunderstorm"
	default:
		return "Unknown"
	}
}
