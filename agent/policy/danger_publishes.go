package policy

import (
	"slices"

	"fusebox/agent/shell"
)

var publishDangers = []danger{
	{id: "shell-force-push", reason: "The command rewrites the history of a repository.", programs: has("git"), verbs: []string{"push"}, when: forcesPush},
	{id: "shell-publish", reason: "The command publishes a package.", programs: has("npm yarn pnpm bun lerna cargo poetry flit uv hatch vsce ovsx dart flutter mix"), verbs: []string{"publish", "unpublish", "deprecate", "npm publish"}},
	{id: "shell-publish", reason: "The command publishes a package.", programs: has("twine gem helm dotnet nuget conan choco snapcraft"), verbs: []string{"upload", "push", "nuget push"}},
	{id: "shell-publish", reason: "The command publishes a package.", programs: has("mvn mvnw gradle gradlew sbt"), args: re(`^(deploy|publish.*|.*:deploy|.*:publish.*|release:perform|upload.*)$`)},
	{id: "shell-publish", reason: "The command publishes an image.", programs: has("docker podman nerdctl docker-compose buildah crane oras"), verbs: []string{"push"}},
	{id: "shell-publish", reason: "The command publishes an image.", programs: has("docker podman nerdctl"), verbs: []string{"build", "buildx"}, args: re(`^--push$`)},
	{id: "shell-publish", reason: "The command publishes or deletes something on a code host.", programs: has("gh glab hub"), args: re(`^(create|delete|merge|upload|archive|transfer|edit)$`)},
	{id: "shell-publish", reason: "The command brings a version before its users.", programs: has("vercel netlify firebase fly flyctl wrangler heroku eb gcloud surge"), args: re(`^(deploy|publish|--prod|container:push|container:release)$`)},
}

var forced = re(`^-[A-Za-z]*[fd][A-Za-z]*$|^--(forc|mirror|delete|prune)|^\+|^:.`)

func forcesPush(c shell.Command) bool {
	push := slices.Index(c.Args, "push")
	return push >= 0 && slices.ContainsFunc(c.Args[push+1:], forced)
}
