// An OpenID provider over plain HTTP on this machine: oidc-provider as it is, with the
// people of a test. It writes its address to the file that it is given. Until it is told
// by POST /configure where the service is, it is a provider that is down.
import { createServer } from "node:http";
import { renameSync, writeFileSync } from "node:fs";
import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import Provider from "oidc-provider";

const client = "svc";
const second = 1;

// Whoever signs in is called by name; forge changes their tokens, which are signed with
// the provider's own key all the same.
const people = {
  ada: { email: "ada@example.com", email_verified: true },
  bob: { email: "bob@example.com", email_verified: true },
  unverified: { email: "new@example.com", email_verified: false },
  stranger: { email: "stranger@example.org", email_verified: true },
  expired: { email: "late@example.com", email_verified: true, forge: () => ({ exp: Math.floor(Date.now() / 1000) - second }) },
  elsewhere: { email: "else@example.com", email_verified: true, forge: () => ({ aud: "another-client" }) },
};

const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const key = { ...(await exportJWK(privateKey)), kid: "one", use: "sig", alg: "RS256" };

function provide(issuer, base) {
  const provider = new Provider(issuer, {
    clients: [{
      client_id: client, client_secret: "a secret of the client's", redirect_uris: [`${base}/console/sign-in/oidc`],
      post_logout_redirect_uris: [`${base}/console/sign-in`], grant_types: ["authorization_code"], response_types: ["code"],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["a key of the cookies"] },
    jwks: { keys: [key] },
    pkce: { required: () => true },
    async findAccount(_ctx, id) {
      const { email, email_verified } = people[id] ?? {};
      return { accountId: id, claims: async () => ({ sub: id, email, email_verified }) };
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== "/token" || !ctx.body?.id_token) return;
    const said = decodeJwt(ctx.body.id_token);
    const forged = people[said.sub]?.forge?.();
    if (forged) ctx.body.id_token = await new SignJWT({ ...said, ...forged }).setProtectedHeader({ alg: "RS256", kid: key.kid, typ: "JWT" }).sign(await importJWK(key));
  });
  return provider.callback();
}

let handle;
const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/configure") {
    let base = "";
    request.on("data", (part) => { base += part; }).on("end", () => {
      handle = provide(issuer(), base);
      response.writeHead(204).end();
    });
    return;
  }
  if (handle) return handle(request, response);
  response.writeHead(503).end();
});
const issuer = () => `http://127.0.0.1:${server.address().port}`;
server.listen(0, "127.0.0.1", () => {
  writeFileSync(`${process.argv[2]}.new`, issuer());
  renameSync(`${process.argv[2]}.new`, process.argv[2]);
});
