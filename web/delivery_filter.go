package web

import (
	"fusebox/agent"
	"net/url"
)

// deliveryFilter reads ?state= and ?channel=; empty is all.
func deliveryFilter(q url.Values) (agent.DeliveryFilter, error) {
	f := agent.DeliveryFilter{State: agent.DeliveryState(q.Get("state")), Channel: agent.Channel(q.Get("channel"))}
	if err := oneOf("state", f.State, agent.DeliveryPending, agent.DeliverySent, agent.DeliveryDead); err != nil {
		return f, err
	}
	return f, oneOf("channel", f.Channel, agent.ChannelWebhook, agent.ChannelEmail)
}

// checkChannel refuses a channel that there is none of.
func checkChannel(channel agent.Channel) error {
	if channel != agent.ChannelWebhook && channel != agent.ChannelEmail {
		return agent.InvalidField("channel", "%q is not allowed; allowed: %s, %s", agent.Clip(string(channel), 40), agent.ChannelWebhook, agent.ChannelEmail)
	}
	return nil
}
