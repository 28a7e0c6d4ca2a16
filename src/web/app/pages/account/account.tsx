import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { may, mayBeyond } from "../../session/rights.ts";
import { user } from "../../session/session.ts";
import { setTheme, type Theme, theme } from "../../session/theme.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { Segments, TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { LEAST_PASSWORD, NewPassword } from "../parts/form/newPassword.tsx";
import { Section } from "../parts/form/section.tsx";
import { useSave } from "../parts/form/useSave.ts";
import { Sessions } from "./sessions.tsx";

const ME = { params: { uuid: "@me" } } as const;
const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** What belongs to the user: name, password, theme, and where the user is logged in. */
export function AccountPage() {
  useTitle("Account");
  return (
    <main class="page">
      <div class="page-head">
        <h1>Account</h1>
      </div>
      <Section title="You">
        <Profile />
      </Section>
      <Section title="Theme" about="Kept in this browser.">
        <Segments label="Theme" value={theme.value} choices={THEMES} onChange={setTheme} />
      </Section>
      {may("user:write") && (
        <Section title="Password" about="A new password logs you out everywhere else.">
          <Password />
        </Section>
      )}
      {mayBeyond("*") && (
        <Section title="Where you are logged in" about="A session ends after 14 days without a visit.">
          <Sessions />
        </Section>
      )}
    </main>
  );
}

function Profile() {
  const me = user.value;
  const [firstName, setFirstName] = useState(me?.first_name ?? "");
  const [lastName, setLastName] = useState(me?.last_name ?? "");
  const [email, setEmail] = useState(String(me?.email ?? ""));
  const [password, setPassword] = useState("");
  const isEmailChanged = email.trim() !== String(me?.email ?? "");
  const form = useSave(
    ["first_name", "last_name", "email", "current_password"],
    async () => {
      const body = {
        first_name: firstName.trim(),
        last_name: lastName.trim(),
        email: email.trim(),
        ...(isEmailChanged && { current_password: password }),
      };
      user.value = await call("PATCH /api/users/{uuid}/", { ...ME, body });
      setPassword("");
    },
    "Saved",
  );
  return (
    <form class="form" onSubmit={form.submit}>
      <TextField
        label="First name"
        autocomplete="given-name"
        required
        value={firstName}
        problem={form.problemOf("first_name")}
        onInput={(event) => setFirstName(event.currentTarget.value)}
      />
      <TextField
        label="Last name"
        autocomplete="family-name"
        value={lastName}
        problem={form.problemOf("last_name")}
        onInput={(event) => setLastName(event.currentTarget.value)}
      />
      <TextField
        label="E-mail"
        type="email"
        autocomplete="email"
        required
        value={email}
        hint="You log in with it."
        problem={form.problemOf("email")}
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
      {isEmailChanged && (
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          hint="Another e-mail needs it."
          problem={form.problemOf("current_password")}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {form.problem !== null && <Problem error={form.problem} />}
      {may("user:write") && (
        <p>
          <Button type="submit" isBusy={form.isBusy}>
            Save
          </Button>
        </p>
      )}
    </form>
  );
}

function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const form = useSave(
    ["current_password", "password"],
    async () => {
      const body = { password: next, current_password: current };
      await call("PATCH /api/users/{uuid}/", { ...ME, body });
      setCurrent("");
      setNext("");
    },
    "The password is changed",
  );
  return (
    <form class="form" onSubmit={form.submit}>
      <input type="text" autocomplete="username" value={String(user.value?.email ?? "")} readOnly hidden />
      <TextField
        label="Current password"
        type="password"
        autocomplete="current-password"
        required
        value={current}
        problem={form.problemOf("current_password")}
        onInput={(event) => setCurrent(event.currentTarget.value)}
      />
      <NewPassword label="New password" value={next} problem={form.problemOf("password")} onChange={setNext} />
      {form.problem !== null && <Problem error={form.problem} />}
      <p>
        <Button type="submit" isBusy={form.isBusy} disabled={next.length < LEAST_PASSWORD}>
          Change the password
        </Button>
      </p>
    </form>
  );
}
