import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { enter } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { isGone, LinkLoading, problemsOf } from "../parts/form/byLink.tsx";
import { Card, useFocusedForm } from "../parts/form/card.tsx";
import { NewPassword } from "../parts/form/newPassword.tsx";

type Invitation = Answer<"GET /api/signup/{token}/">;

/** What the link of an invitation opens: its holder chooses a name and a password, and is a member then. */
export function InvitePage({ token = "" }: { token?: string }) {
  const { data: invitation, error } = useData(`invite/${token}`, () =>
    call("GET /api/signup/{token}/", { params: { token } }),
  );
  if (isGone(error)) return <Gone />;
  if (invitation === undefined) return <LinkLoading error={error} />;
  return (
    <Card title="Welcome to Weir">
      <JoinForm token={token} invitation={invitation} />
    </Card>
  );
}

function JoinForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const { route } = useLocation();
  const form = useFocusedForm();
  const [firstName, setFirstName] = useState(invitation.first_name);
  const [password, setPassword] = useState("");
  const task = useTask();
  const join = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const body = { first_name: firstName.trim(), password };
      enter(await call("POST /api/signup/{token}/", { params: { token }, body }));
      route("/", true);
    });
  };
  const { error } = task;
  if (isGone(error)) return <GoneWords />;
  const { about, other } = problemsOf(error, ["first_name", "password"]);
  return (
    <form ref={form} class="form" onSubmit={join}>
      <p>
        You are invited to <strong dir="auto">{invitation.organization_name}</strong>. You will log in as{" "}
        <strong dir="auto">{invitation.target_email}</strong>.
      </p>
      {/* For managers of passwords. */}
      <input
        class="unseen"
        type="email"
        autocomplete="username"
        readOnly
        tabIndex={-1}
        aria-hidden="true"
        value={invitation.target_email}
      />
      <TextField
        label="First name"
        autocomplete="given-name"
        required
        maxLength={150}
        value={firstName}
        problem={about("first_name")}
        onInput={(event) => setFirstName(event.currentTarget.value)}
      />
      <NewPassword label="Password" value={password} problem={about("password")} onChange={setPassword} />
      {other !== undefined && <Problem error={other} />}
      <Button look="primary" type="submit" isBusy={task.isBusy}>
        Join
      </Button>
    </form>
  );
}

function Gone() {
  return (
    <Card title="This invitation does not work any more">
      <GoneWords />
    </Card>
  );
}

function GoneWords() {
  return (
    <>
      <p>An invitation works once, and for three days. It was used, taken back, or is too old. Ask for another one.</p>
      <p class="card-foot">
        Are you a member already? <a href="/login">Log in</a>
      </p>
    </>
  );
}
