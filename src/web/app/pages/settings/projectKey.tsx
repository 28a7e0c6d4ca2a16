import { useState } from "preact/hooks";
import { type Environment, resetKey } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { loadUser } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyField } from "../../ui/copy.tsx";
import { toast } from "../../ui/toast.tsx";

/** The key that events are sent with; admins can have another. */
export function ProjectKey({ environment }: { environment: Environment }) {
  const [isAsking, setAsking] = useState(false);
  const reset = async () => {
    await resetKey(environment.id);
    // Snippets have it from the list of projects.
    await loadUser();
    toast("The project has a new key");
  };
  return (
    <>
      <CopyField label="Project key" value={environment.api_token} />
      <CopyField label="Address" value={window.location.origin} />
      {environment.user_access_level === "admin" && may("project:write") && (
        <p>
          <Button icon="refresh" onClick={() => setAsking(true)}>
            Replace the key
          </Button>
        </p>
      )}
      {isAsking && (
        <Confirm
          title="Replace the key of this project?"
          action="Replace it"
          isDangerous
          onConfirm={reset}
          onClose={() => setAsking(false)}
        >
          <div class="stack">
            <p>The key of now stops working within seconds, for good.</p>
            <p>
              Every site, app and server that sends with it loses its events until it has the new one. Events that are
              stored stay.
            </p>
          </div>
        </Confirm>
      )}
    </>
  );
}
