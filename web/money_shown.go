package web

import "fusebox/agent"

// showsMoney reports whether a viewer sees amounts of money of budgets.
func (s *Server) showsMoney(agent.Viewer) bool { return true }
