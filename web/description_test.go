package web_test

import (
	"os"
	"testing"

	"fusebox/agent/agenttest"
	"fusebox/web/apitest"
)

// checked carries the requests of all tests, and compares what passes with the
// description of the API.
var checked = &apitest.Checker{}

// TestMain fails the whole suite if it leaves anything that is described unsent.
func TestMain(m *testing.M) {
	agenttest.Prepare()
	os.Exit(checked.Whole(m))
}
