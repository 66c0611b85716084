// Makes and uses passkeys, which browsers give to scripts alone. A form says with
// data-passkey whether it creates one or gets one, and with data-at where the server
// asks (/ask) and is answered.
"use strict";
(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  // Browsers of before 2024 do not read and write JSON themselves, and some password
  // managers give credentials that cannot.
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const named = (list) => (list ?? []).map((known) => ({ ...known, id: bytes(known.id) }));
  const toCreate = (o) => PublicKeyCredential.parseCreationOptionsFromJSON?.(o) ??
    { ...o, challenge: bytes(o.challenge), user: { ...o.user, id: bytes(o.user.id) }, excludeCredentials: named(o.excludeCredentials) };
  const toGet = (o) => PublicKeyCredential.parseRequestOptionsFromJSON?.(o) ??
    { ...o, challenge: bytes(o.challenge), allowCredentials: named(o.allowCredentials) };
  const toJSON = (credential) => {
    try {
      return credential.toJSON();
    } catch {
      const response = {};
      for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
        if (credential.response[name]) response[name] = text(credential.response[name]);
      }
      if (credential.response.getTransports) response.transports = credential.response.getTransports();
      return {
        id: credential.id, rawId: text(credential.rawId), type: credential.type, response,
        authenticatorAttachment: credential.authenticatorAttachment ?? undefined, clientExtensionResults: {},
      };
    }
  };

  class Refused extends Error {}

  const post = async (address, type, body) => {
    const answer = await fetch(address, { method: "POST", headers: { "Content-Type": type }, body });
    if (!(answer.headers.get("Content-Type") ?? "").startsWith("application/json")) {
      if (!answer.ok) throw new Refused("The server could not do that. Try again.");
      location.reload(); // whoever has been signed out meanwhile
      return new Promise(() => {});
    }
    const said = await answer.json();
    if (!answer.ok) throw new Refused([said.error, said.hint].filter(Boolean).join(" "));
    return said;
  };

  const reasons = {
    NotAllowedError: "No passkey was used: it was cancelled, took too long, or the browser has none for this address. Browsers also refuse where they do not trust the certificate.",
    InvalidStateError: "This device has a passkey for this account already.",
    SecurityError: "The browser gives no passkeys to this address.",
    NotSupportedError: "This device cannot make such a passkey.",
    TypeError: "The server does not answer. Try again.",
  };

  const show = (form, failure) => {
    const place = form.querySelector("[data-failure]");
    place.querySelector("span").textContent = failure;
    place.hidden = failure === "";
  };

  const unanswered = new Map(); // the tokens of questions, by their form

  // run asks the server, then the device, then gives the server what the device says.
  // quietly is for what nobody has asked for: only what the server says to a passkey
  // that was chosen is told then.
  const run = async (form, given, quietly) => {
    let chosen = !quietly;
    given.set("renews", unanswered.get(form) ?? "");
    try {
      const asked = await post(form.dataset.at + "/ask", "application/x-www-form-urlencoded", new URLSearchParams(given));
      unanswered.set(form, asked.token);
      const options = asked.options.publicKey;
      const credential = form.dataset.passkey === "create"
        ? await navigator.credentials.create({ publicKey: toCreate(options) })
        : await navigator.credentials.get({ publicKey: toGet(options), ...quietly });
      chosen = true;
      const said = await post(form.dataset.at, "application/json",
        JSON.stringify({ ...Object.fromEntries(given), token: asked.token, credential: toJSON(credential) }));
      location.assign(said.next);
    } catch (error) {
      if (!chosen || error.name === "AbortError") return;
      show(form, error instanceof Refused ? error.message : reasons[error.name] ?? error.message);
    }
  };

  for (const element of document.querySelectorAll("[data-no-passkeys]")) element.hidden = true;
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    let offer = new AbortController();
    let offered = 0;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = new FormData(form);
      const email = document.getElementById(form.dataset.email);
      if (email) {
        if (!email.reportValidity()) return;
        given.set("email", email.value);
      }
      offer.abort();
      show(form, "");
      const button = form.querySelector("button");
      button.disabled = true;
      await run(form, given);
      button.disabled = false;
      offered = 0;
    });

    // Where the browser can, it offers passkeys in the field for the address. What it
    // is asked holds for five minutes, so it is asked anew while the page is looked at.
    if (form.dataset.passkey !== "get") continue;
    const renew = () => {
      if (document.hidden || form.querySelector("button").disabled || Date.now() - offered < 240000) return;
      offered = Date.now();
      offer.abort();
      offer = new AbortController();
      run(form, new FormData(form), { mediation: "conditional", signal: offer.signal });
    };
    PublicKeyCredential.isConditionalMediationAvailable?.().then((can) => {
      if (!can) return;
      renew();
      setInterval(renew, 10000);
      document.addEventListener("visibilitychange", renew);
    });
  }
})();
