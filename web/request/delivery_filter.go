package request

import (
	"fusebox/agent"
	"net/url"
)

// DeliveryFilter reads ?state= and ?channel=; empty is all.
func DeliveryFilter(q url.Values) (agent.DeliveryFilter, error) {
	f := agent.DeliveryFilter{State: agent.DeliveryState(q.Get("state")), Channel: agent.Channel(q.Get("channel"))}
	if err := OneOf("state", f.State, agent.DeliveryPending, agent.DeliverySent, agent.DeliveryDead); err != nil {
		return f, err
	}
	return f, OneOf("channel", f.Channel, agent.ChannelWebhook, agent.ChannelEmail)
}

// CheckChannel refuses a channel that there is none of.
func CheckChannel(channel agent.Channel) error {
	if channel != agent.ChannelWebhook && channel != agent.ChannelEmail {
		return agent.InvalidField("channel", "%q is not allowed; allowed: %s, %s", agent.Clip(string(channel), 40), agent.ChannelWebhook, agent.ChannelEmail)
	}
	return nil
}
