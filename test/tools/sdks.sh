#!/bin/sh
# Fetches packages from npm into the folder that is its argument, and refuses a package whose
# hash is not the one below: the libraries of senders that test/sdks/sdks.cjs uses, with their
# dependencies as far as it needs them, and axe-core, which checks pages in browsers. To upgrade:
# npm view NAME@VERSION dist.integrity
set -eu

packages='
axe-core 4.14.1 sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==
@octokit/webhooks 14.2.0 sha512-da6KbdNCV5sr1/txD896V+6W0iamFWrvVl8cHkBSPT+YlvmT3DwXa4jxZnQc+gnuTEqSWbBeoSZYTayXH9wXcw==
@octokit/request-error 7.1.2 sha512-XZRuT3xZ84D3gYErI1DZvhJ33dCWVV6uzBtWkaBB4TvA/L6eOeTZodxLFVB44bBEEo3vEx7y00UfX1tBLrtLRg==
@octokit/webhooks-methods 6.0.0 sha512-MFlzzoDJVw/GcbfzVC1RLR36QqkTLUf79vLVO3D+xn7r0QgxnFoLZgtrzxiQErAjFUOdH6fas2KeQJ1yr/qaXQ==
stripe 23.1.0 sha512-fVUfMSfTPoukfoV//MUKAx2+YxyKmYaYtnAL9VkfnHfaPNQylFdWZMD+zgUFerI8rjbaiER8Vzj2XEUQ2AhAsQ==
standardwebhooks 1.1.1 sha512-bCbX9ZEyFkWPsRz7Bl3NuQUJohmwGSev/yhr7vhaGPlc4AfIrspIRa6cPTBuI1ItmrTDJ4d/S2hCsfe4+vQGnQ==
svix 1.99.1 sha512-JfpvbAg5iT5NagDAfOq3e6Ci6NbOMbMm6C3DnfDBB60m2JDK+Z2hXPE9XNAmutb53DCdPoih1V70IbklZnX09A==
razorpay 2.9.8 sha512-Uqv3KV7JAfpLlabGdg8Cw7e7ieGkK/DighFq6iGkNnz0Y+it6+/lFmPCTfkcptc2EagL2Og25VWUxc+Fgp/+nA==
twilio 6.2.0 sha512-zuwVhRa8gGIvaTjXIkRNcf7cPPQCeghMukMcG9WnhWmm7SLnregVpdIoYOSrOvlqMUYf6xP9A2ivsJNf6URoSg==
@stablelib/base64 1.0.1 sha512-1bnPQqSxSuc3Ii6MhBysoWCg58j97aUjuCSZrGSmDxNqtytIi0k8utUenAwTZN4V5mXXYGsVUI9zeBqy+jBOSQ==
fast-sha256 1.3.0 sha512-n11RGP/lrWEFI/bWdygLxhI+pVeo1ZYIVwvvPkW7azl/rOy+F3HYRZ2K5zeE9mmkhQppyv9sQFx0JM9UabnpPQ==
@slack/bolt 5.1.0 sha512-lSQzEs/OMDVIbTVb+ZXZa7zsYGvnB1d58CnK55vdYdVeSmHMON1RjSgPf3lGUE9lYhNTUIjbFCrCrsJ1j5SAUA==
tsscmp 1.0.6 sha512-LxhtAkPDTkVCMQjt2h6eBVY28KCjikZqZfMcC15YBeNjkgUpdCfBu5HoiOTDu86v6smE8yOjyEktJ8hlbANHQA==
@shopify/shopify-api 12.3.0 sha512-zeMhaZq57cM/8ef9edoVgZhzJxju4pQhPLBX93FYuPbR29f4K92KLlI4QZ+JV4qFKONhQewgXrSBuA/ILp2ZRw==
@shopify/admin-api-client 1.1.2 sha512-sV5gS8x4kj0KLULlOJkoBzm+tu6tn+1PCK9a6inySv5qtzmf/JxDWtLgaW9vRXeXHo/Sl/p3mBWhY3//fKA8iw==
@shopify/graphql-client 1.4.2 sha512-C/fEyx6BZmTGeJv0HSsduhfn5ZbkXk0nePkyo0+xXxorP1I+uvx9pobdFxTfiPnOrh+P6QiKzBgIviksnSo4YA==
@shopify/storefront-api-client 1.0.10 sha512-A0ItFW58L5+y/jnnJDEsmt2YcQSt2BG+pNoQOYRpPBJaOLpTj7A13q1QVrE5XYVGZCA6ZQ6FqAtgosHHrkut0Q==
compare-versions 6.1.1 sha512-4hm4VPpIecmlg59CHXnRDnqGplJFrbLG4aFEl5vl6cK1u76ws3LLvX7ikFnTDl5vo39sjWD6AaDPYodJp/NNHg==
lossless-json 4.3.3 sha512-FGFrGArHsv7BRiYOf37ZRieT9HlKw+Kpu9HvtpYjcoOEo8lqNkjny8A2YAfWNWWQC+9pcLIrLZ+IviKJhaHwGQ==
isbot 5.2.3 sha512-e8gGz3VzAuImtTMnB5PqNRRWGAswObTc+X+X5a8PttKT78VSSFec98w9ZwUoy6jJdlvJkVdLiN+WMgA8TewoZg==
jose 5.10.0 sha512-s+3Al/p9g32Iq+oqXxkW//7jk2Vig6FF1CFqzVXoTUXt2qz89YWbL+OwS17NFYEvxC35n0FKeGO2LGYSxeM2Gg==
'

[ ! -e "$1" ] || exit 0
folder=$1.$$
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tarballs"
cd "$folder/tarballs"
# shellcheck disable=SC2046 # one argument for each package
npm pack --silent $(echo "$packages" | awk 'NF { print $1 "@" $2 }') >/dev/null
echo "$packages" | while read -r name version integrity; do
	[ -n "$name" ] || continue
	tarball=$(echo "$name-$version.tgz" | sed 's/^@//; s|/|-|')
	got=sha512-$(openssl dgst -sha512 -binary "$tarball" | openssl base64 -A)
	if [ "$got" != "$integrity" ]; then
		echo "$name $version has the hash $got, not $integrity." >&2
		exit 1
	fi
	mkdir -p "../node_modules/$name"
	tar -xzf "$tarball" -C "../node_modules/$name" --strip-components 1
done
cd / && rm -rf "$folder/tarballs"
# If two of them run at once, the later one changes nothing.
mv -T "$folder" "$1" 2>/dev/null || [ -e "$1/node_modules" ]
