package web

import (
	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// route is one address: who may use it, which scope a token needs for it, and whose
// thing it is about. The tests of access are made from this table, so an address that is
// not in it does not exist. Its rows name no fields: one that lacks any does not compile.
type route struct {
	method, path string
	access       access
	scope        agent.TokenScope
	owns         owned
	handler      func(*handlers) echo.HandlerFunc
}

// owned says what :id names, and so to whom strangers get 404.
type owned string

const (
	nothing      owned = ""
	conversation owned = "conversation"
	message      owned = "message"
	run          owned = "run"
	ownRun       owned = "own run" // not even admins go on with another one's run
	approval     owned = "approval"
	ownCard      owned = "own approval" // its owner, too, may do this
	token        owned = "token"
	fact         owned = "fact"
	rule         owned = "rule"
	account      owned = "user"
	delivery     owned = "delivery"
	policyRule   owned = "policy rule"
	budget       owned = "budget"
	resetLink    owned = "reset link"
	aPassage     owned = "passage"
	document     owned = "document"
	collection   owned = "collection"
	anImport     owned = "import"
)

// The scopes that tokens need. Where nobody has to be known, none is needed.
const (
	unscoped   agent.TokenScope = ""
	read                        = agent.TokenRead
	chat                        = agent.TokenChat
	approve                     = agent.TokenApprove
	administer                  = agent.TokenAdmin
	metrics                     = agent.TokenMetrics
)
