import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { enter } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { isGone, LinkLoading, problemsOf } from "../parts/form/byLink.tsx";
import { Card, useFocusedForm } from "../parts/form/card.tsx";
import { NewPassword } from "../parts/form/newPassword.tsx";

type Link = Answer<"GET /api/setup/{token}/">;
const COMMAND = "scripts/weir login-link";

/** What the link of the first start opens, and that of a forgotten password: it sets a password once. */
export function SetupPage({ token = "" }: { token?: string }) {
  const { data: link, error } = useData(`setup/${token}`, () => call("GET /api/setup/{token}/", { params: { token } }));
  if (isGone(error)) return <GoneLink />;
  if (link === undefined) return <LinkLoading error={error} />;
  return (
    <Card title={link.has_password ? "Choose a new password" : "Welcome to Weir"}>
      <SetupForm token={token} link={link} />
    </Card>
  );
}

function SetupForm({ token, link }: { token: string; link: Link }) {
  const { route } = useLocation();
  const form = useFocusedForm();
  const [email, setEmail] = useState(isPlaceholder(link.email) ? "" : link.email);
  const [firstName, setFirstName] = useState(link.has_password || link.first_name === "Owner" ? "" : link.first_name);
  const [password, setPassword] = useState("");
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const about = link.has_password ? {} : { email: email.trim(), first_name: firstName.trim() };
      const user = await call("POST /api/setup/{token}/", { params: { token }, body: { password, ...about } });
      enter(user);
      route(user.team !== null && !user.team.ingested_event ? `/project/${user.team.id}/start` : "/", true);
    });
  };
  const { error } = task;
  if (isGone(error)) return <GoneLinkWords />;
  const { about, other } = problemsOf(error, ["email", "first_name", "password"]);
  return (
    <form ref={form} class="form" onSubmit={save}>
      {link.has_password ? (
        <p>
          For <strong dir="auto">{link.email}</strong>. You are logged out everywhere else.
        </p>
      ) : (
        <>
          <p>Choose how you log in. This makes you the owner of this Weir.</p>
          <TextField
            label="E-mail"
            type="email"
            autocomplete="username"
            required
            value={email}
            problem={about("email")}
            hint="You log in with it. Nothing is sent there."
            onInput={(event) => setEmail(event.currentTarget.value)}
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
        </>
      )}
      <NewPassword label="Password" value={password} problem={about("password")} onChange={setPassword} />
      {other !== undefined && <Problem error={other} />}
      <Button look="primary" type="submit" isBusy={task.isBusy}>
        {link.has_password ? "Set the password and log in" : "Start using Weir"}
      </Button>
    </form>
  );
}

/** What stands for the owner until the owner says more. */
const isPlaceholder = (email: string) => email.endsWith("@localhost.localdomain");

function GoneLink() {
  return (
    <Card title="This link does not work any more">
      <GoneLinkWords />
    </Card>
  );
}

function GoneLinkWords() {
  return (
    <>
      <p>
        A link works once, and for 30 minutes. It was used, or it is too old. Run this where Weir runs to get another:
      </p>
      <p class="command">
        <code>{COMMAND}</code>
        <CopyButton text={COMMAND} />
      </p>
      <p class="card-foot">
        Do you have a password already? <a href="/login">Log in</a>
      </p>
    </>
  );
}
