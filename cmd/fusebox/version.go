package main

import (
	"context"
	"fmt"
	"runtime/debug"
)

// version is empty unless the linker sets it: -ldflags "-X main.version=1.2.3".
// A release is built without symbols:
//
//	go build -trimpath -ldflags="-s -w" ./cmd/fusebox
var version string

func (p process) version(context.Context, []string) error {
	_, err := fmt.Fprintln(p.stdout, "fusebox", programVersion())
	return err
}

func programVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf is the linker's version, or else the one of the module, which the
// go command takes from the tag or the commit that it builds. A build without
// version control is called dev.
func versionOf(linked string, info *debug.BuildInfo) string {
	switch {
	case linked != "":
		return linked
	case info == nil, info.Main.Version == "", info.Main.Version == "(devel)":
		return "dev"
	}
	return info.Main.Version
}
