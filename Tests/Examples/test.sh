set -e
ckdb record save Book --name b1 finished:=true --policy changed
ckdb assert expected.json --subset
ckdb assert query Book 'finished == 1' --names b1

# What if the zone is busy? The command fails as CloudKit would, and the next try works.
ckdb fault add --operation save --code zoneBusy --retry-after 3 --times 1
ckdb record save Book --name b2 finished:=true --policy changed && exit 1
ckdb record save Book --name b2 finished:=true --policy changed
ckdb assert query Book 'finished == 1' --count 2
