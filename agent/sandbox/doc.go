// Package sandbox starts programs behind walls: commands of the agent today, and
// whatever else the server starts on behalf of others. It finds out once which
// walls this machine allows, by trying to get through them, and says so.
//
// Walls are namespaces with a file system of their own, built by bubblewrap where it
// is installed; Landlock; a filter of system calls; and limits. They exist on Linux
// only. Everywhere a program ends with all it has started when its call ends, and
// when the server does. What happens on the other side is in package room.
//
// It imports nothing of Fusebox but its own package room.
package sandbox
