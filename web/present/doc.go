// Package present turns events and domain values into the props of views. It
// knows neither echo nor the store: everything it shows is handed to it.
package present
