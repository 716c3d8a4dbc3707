<?php
$config = [
    'people' => ['exampleauth:UserPass', 'zoe:tulip-bulb' => [
        'uid' => ['zoe'], 'mail' => ['zoe@campus.edu'], 'displayName' => ['Zoé Young'], 'eduPersonPrincipalName' => ['zoe@campus.edu'],
        'eduPersonAffiliation' => ['student', 'member'],
    ]],
];
