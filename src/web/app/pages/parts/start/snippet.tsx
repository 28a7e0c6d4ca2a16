import { useState } from "preact/hooks";
import { Tabs } from "../../../ui/tabs.tsx";
import { Code } from "./code.tsx";
import { snippetsFor } from "./snippets.ts";

/** How to send an event, in the language that one chooses. */
export function Snippets({ apiKey }: { apiKey: string }) {
  const snippets = snippetsFor({ host: window.location.origin, key: apiKey });
  const [chosen, choose] = useState(snippets[0]!.key);
  const { install, code, about } = snippets.find(({ key }) => key === chosen) ?? snippets[0]!;
  return (
    <Tabs label="How to send events" tabs={snippets} value={chosen} onChange={choose}>
      <p class="snippet-about">{about}</p>
      {install !== null && <Code text={install} />}
      <Code text={code} />
    </Tabs>
  );
}
