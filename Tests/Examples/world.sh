# Makes a store and files in which the examples of the manual run.
set -e
ckdb container create iCloud.com.example.app
ckdb container create iCloud.org.example.app
ckdb use -C iCloud.org.example.app
ckdb config set prompt '{database}> '
ckdb zone create Notes Lists Archive
ckdb record save Artist --name blake name='William Blake' birthYear:=1757
ckdb record save Artwork --name A00001 title='A Figure' year:=1805 medium=ink notes=none acquisitionYear:=1920 'subjects:list<string>=["dog"]' artist:reference=blake
ckdb record save Note --name n synced:=0
ckdb record save Book --name b1 title=One pages:=400 pageCount:=400
ckdb record save Book --name b7 title=Two pages:=500 pageCount:=500
ckdb record save List --name list -z Lists title=x
ckdb record save List --name shop -z Lists title=x
ckdb record save City --name london place:location=51.5,-0.12
ckdb record save Review --name r1 text=good
ckdb record save Draft --name d1 text=x
ckdb record save Book --name b1 title=One pageCount:=400 -d public
ckdb record save CoffeeShop --name c1 latteCost:=4.7 -d public
ckdb record save Note --name m -u ann
ckdb account create anna --email anna@example.com
ckdb device add phone
ckdb user permission grant -u anna
ckdb user contact add anna@example.com
ckdb share create list -z Lists --title Saturday --with bob --allow-requests > url
ckdb share accept "$(cat url)" -u bob
ckdb share request "$(cat url)" -u cem
ckdb share block list eve -z Lists
ckdb token create --name site
ckdb token create --name old-site
ckdb subscription create query Book --id big
echo '{"subscriptionType":"database"}' > subscriptions.json
for n in 1 2 3 4; do ckdb record save Book --name big$n pages:=$n --device phone -u me; done
ckdb device add pad
ckdb kvs set name=Anna level:=13 --device phone
ckdb kvs sync --all-devices --device phone
ckdb kvs sync --device pad
ckdb kvs export --device phone > keys.json
printf 'jpeg' > photo.jpg
echo 'buy milk' > notes.txt
echo 'merged' > merged.txt
ckdb document put notes.txt
ckdb document put notes.txt --device phone
ckdb document put notes.txt Documents/big/notes.txt
ckdb document sync
ckdb document sync --device phone
ckdb document put notes.txt Documents/a.txt
ckdb document put notes.txt Documents/old.txt
ckdb document sync
ckdb document remove Documents/old.txt
ckdb document sync
ckdb document open Documents/notes.txt
ckdb document mount phone --device phone
ckdb asset put A00001 image photo.jpg
mkdir -p Shop.xcdatamodeld/Shop.xcdatamodel
cat > Shop.xcdatamodeld/Shop.xcdatamodel/contents <<'XML'
<model>
  <entity name="Product">
    <attribute name="name" optional="YES" attributeType="String"/>
  </entity>
</model>
XML
echo '{"recordName":"p1","recordType":"Product","fields":{"name":"Tea"}}' > products.jsonl
ckdb import products.jsonl --core-data --model Shop.xcdatamodeld
for t in Artwork Book City Artist; do ckdb schema index $t recordName --queryable; done
ckdb schema index Artwork year --queryable
ckdb schema index CoffeeShop latteCost --queryable --sortable
ckdb schema index Book pageCount --queryable
ckdb schema export | sed 's/DEFINE SCHEMA/DEFINE SCHEMA CREATE ROLE moderator;/' > roles.ckdb
ckdb schema import roles.ckdb
ckdb user role add ann moderator
ckdb query Artwork 'year > %@' --argument 1900 --save since
ckdb schema export --output schema.ckdb
cp schema.ckdb production.ckdb
echo "Artwork year > 1800" > queries.txt
ckdb export Artwork > works.jsonl
echo '{"id":"a1","name":"Ann"}' > artists.jsonl
printf 'recordName,name,latitude,longitude\nparis,Paris,48.9,2.35\n' > cities.csv
ckdb fixture export -o library.json
mkdir -p bin fixtures Tests seed
cp library.json fixtures/
echo '{"recordName":"more","recordType":"Note","fields":{"synced":1}}' > fixtures/more.jsonl
mkdir Tests/Fixtures
cp library.json Tests/Fixtures
cp library.json old.json
cp library.json expected.json
ckdb snapshot save seeded
cp library.json new.json
echo "record list" > seed.ckdb-commands
printf -- '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n' > eckey.pem
echo 0123456789abcdef > token.txt
echo "158__54__AQ" > web-token.txt
ckdb remote add lab --url http://127.0.0.1:8321 --api-token-file token.txt
printf '#!/bin/sh\n' > bin/swift
chmod +x bin/swift
