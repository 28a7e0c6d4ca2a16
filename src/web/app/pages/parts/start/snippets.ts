interface Snippet {
  key: string;
  label: string;
  /** What is run or written first; null: nothing. */
  install: string | null;
  code: string;
  /** Where the code goes. */
  about: string;
}

const EVENT = "signed up";

/** How each SDK sends its first event to a project. `host` is the address of Weir, without a path. */
export function snippetsFor({ host, key }: { host: string; key: string }): readonly Snippet[] {
  return [
    {
      key: "html",
      label: "Web page",
      install: null,
      about: "Put it into the head of every page. Page views and clicks come by themselves.",
      code: `<script
  src="${host}/static/loader.js"
  data-api-host="${host}"
  data-project-token="${key}"
></script>`,
    },
    {
      key: "npm",
      label: "Web app",
      install: "npm install posthog-js",
      about: "Once, where the app starts. Page views and clicks come by themselves.",
      code: `import posthog from "posthog-js";

posthog.init("${key}", { api_host: "${host}" });
posthog.capture("${EVENT}", { plan: "free" });`,
    },
    {
      key: "node",
      label: "Node",
      install: "npm install posthog-node",
      about: "On a server. Events are sent in the background; shutdown sends the last of them.",
      code: `import { PostHog } from "posthog-node";

const client = new PostHog("${key}", { host: "${host}" });
client.capture({ distinctId: "user-1", event: "${EVENT}", properties: { plan: "free" } });
await client.shutdown();`,
    },
    {
      key: "python",
      label: "Python",
      install: "pip install posthog",
      about: "On a server. Events are sent in the background; shutdown sends the last of them.",
      code: `from posthog import Posthog

client = Posthog("${key}", host="${host}")
client.capture(event="${EVENT}", distinct_id="user-1", properties={"plan": "free"})
client.shutdown()`,
    },
    {
      key: "go",
      label: "Go",
      install: "go get github.com/posthog/posthog-go",
      about: "On a server. Events are sent in the background; Close sends the last of them.",
      code: `package main

import "github.com/posthog/posthog-go"

func main() {
	client, err := posthog.NewWithConfig("${key}", posthog.Config{Endpoint: "${host}"})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	client.Enqueue(posthog.Capture{
		DistinctId: "user-1",
		Event:      "${EVENT}",
		Properties: posthog.NewProperties().Set("plan", "free"),
	})
}`,
    },
    {
      key: "curl",
      label: "curl",
      install: null,
      about: "From a terminal, to see an event come.",
      code: `curl ${host}/capture/ -H 'Content-Type: application/json' \\
  -d '{"api_key": "${key}", "event": "${EVENT}", "distinct_id": "user-1"}'`,
    },
  ];
}
